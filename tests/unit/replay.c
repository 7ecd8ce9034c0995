/* SPDX-License-Identifier: MIT */
/*
 * The runtime in replay, under programs whose steps are known (tests/runtime/schedules.c) and with
 * plans made by hand. One more process keeps a core busy all the time.
 */
#include "runtime/log.h"
#include "runtime/plan.h"
#include "support/random.h"
#include "support/raw_log.h"
#include "support/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char scratch[] = "/tmp/norn-test.XXXXXX";
static pid_t load;

static void clean(void)
{
	char command[256];

	if (load)
		kill(load, SIGKILL);
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	if (system(command) != 0)
		fprintf(stderr, "%s is left behind\n", scratch);
}

static const char *in_scratch(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
	return path;
}

static void build(void)
{
	char command[2048];
	const char *directory = getenv("BUILD");

	if (!mkdtemp(scratch))
		FAIL("no temporary directory");
	load = fork();
	if (load == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	atexit(clean);
	snprintf(command, sizeof(command),
		 "cc -std=gnu11 -D_GNU_SOURCE -O1 -fno-builtin -fexceptions -g -I. "
		 "tests/runtime/schedules.c -o %s -Wl,--whole-archive %s/libnorn-runtime.a "
		 "-Wl,--no-whole-archive -lpthread -lrt",
		 in_scratch("program"), directory ? directory : "build");
	ASSERT_EQ(system(command), 0);
}

/* A plan that grows, and the process that follows it. */

#define STEPS 2048
#define THREADS 8

static struct plan plan;
static struct plan_thread plan_threads[THREADS];
static struct plan_step steps[STEPS];
static uint64_t reached[THREADS]; /* the last step that was planned */

static void begin_plan(uint32_t threads, enum plan_end end)
{
	plan = (struct plan){
		.magic = PLAN_MAGIC, .version = PLAN_VERSION, .threads = threads, .end = end};
	memset(reached, 0, sizeof(reached));
}

static uint32_t at(uint32_t thread, uint64_t step, enum log_kind kind, uint32_t other)
{
	steps[plan.steps] = (struct plan_step){
		.step = step, .thread = thread, .other = other, .kind = (uint8_t)kind};
	reached[thread] = step;
	return plan.steps++;
}

/* The next step of the thread. */
static uint32_t then(uint32_t thread, enum log_kind kind)
{
	return at(thread, reached[thread] + 1, kind, 0);
}

static void stop(uint32_t thread, enum log_kind kind)
{
	then(thread, kind);
	plan.stops++;
}

/* The first thread begins and makes the others, which begin. */
static void begin_threads(enum log_kind first)
{
	then(0, LOG_BEGIN);
	if (first)
		then(0, first);
	for (uint32_t i = 1; i < plan.threads; i++)
		steps[then(0, LOG_FORK)].other = i;
	for (uint32_t i = 1; i < plan.threads; i++)
		then(i, LOG_BEGIN);
}

static void write_file(const char *name, const void *data, size_t size, const char *mode)
{
	FILE *f = fopen(in_scratch(name), mode);

	ASSERT_TRUE(f && fwrite(data, 1, size, f) == size);
	fclose(f);
}

static void write_plan(void)
{
	struct log_run run = {.magic = LOG_MAGIC, .version = LOG_VERSION, .mode = LOG_REPLAY};
	char command[512];
	static const char
		zeros[sizeof(struct replay_state) + THREADS * sizeof(struct replay_thread)];
	uint32_t next[THREADS];

	memset(next, 0xff, sizeof(next));
	for (uint32_t i = plan.steps; i--;) {
		steps[i].next = next[steps[i].thread];
		next[steps[i].thread] = i;
	}
	for (uint32_t i = 0; i < plan.threads; i++)
		plan_threads[i] = (struct plan_thread){.first = next[i], .handler = PLAN_NONE};
	snprintf(command, sizeof(command), "rm -rf %s/log; mkdir %s/log", scratch, scratch);
	ASSERT_EQ(system(command), 0);
	write_file("log/run", &run, sizeof(run), "w");
	write_file("log/plan", &plan, sizeof(plan), "w");
	write_file("log/plan", plan_threads, plan.threads * sizeof(*plan_threads), "a");
	write_file("log/plan", steps, plan.steps * sizeof(*steps), "a");
	write_file("log/state", zeros, sizeof(zeros), "w");
}

static struct replay_state *state;
static struct replay_thread *threads;
static pid_t child;

static void start(const char *name)
{
	write_plan();
	int fd = open(in_scratch("log/state"), O_RDWR);

	state = mmap(NULL, sizeof(*state) + THREADS * sizeof(*threads), PROT_READ | PROT_WRITE,
		     MAP_SHARED, fd, 0);
	ASSERT_TRUE(state != MAP_FAILED);
	close(fd);
	threads = (struct replay_thread *)(state + 1);
	setenv("NORN_RECORD", in_scratch("log"), 1);
	child = fork();
	if (child == 0) {
		int out = open(in_scratch("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(out, 1);
		alarm(120);
		execl(in_scratch("program"), "program", name, (char *)NULL);
		_exit(127);
	}
}

static uint32_t load_word(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void pause_briefly(void)
{
	nanosleep(&(struct timespec){0, 200000}, NULL);
}

/* Until the word has this value: at most a minute, which is a failure. */
static void wait_for(const uint32_t *word, uint32_t value)
{
	for (int i = 0; i < 60 * 5000 && load_word(word) != value; i++)
		pause_briefly();
	ASSERT_EQ(load_word(word), value);
}

static void end(void)
{
	munmap(state, sizeof(*state) + THREADS * sizeof(*threads));
}

static int finish(void)
{
	int status;

	waitpid(child, &status, 0);
	return status;
}

static void kill_it(void)
{
	kill(child, SIGKILL);
	finish();
	end();
}

static const char *output(void)
{
	static char line[1024];
	FILE *f = fopen(in_scratch("out"), "r");

	if (!f || !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	return line;
}

/* The whole of it, and what it prints. */
static void expect_either(const char *name, const char *printed, const char *instead)
{
	start(name);
	int status = finish();

	tap_at("%s: phase %u turn %u of %u, diverged %u", name, state->phase, state->turn,
	       plan.steps, state->diverged);
	ASSERT_EQ(status, 0);
	if (strcmp(output(), instead) != 0)
		ASSERT_STR_EQ(output(), printed);
	ASSERT_EQ(state->phase, REPLAY_GOES);
	ASSERT_EQ(state->turn, plan.steps);
	end();
	ASSERT_STR_EQ(raw_log_check(in_scratch("log")).message, "");
}

static void expect(const char *name, const char *printed)
{
	expect_either(name, printed, printed);
}

TAP_CASE(deadlock_every_time)
{
	build();
	for (int i = 0; i < TAP_PART(50); i++) {
		begin_plan(3, PLAN_ALL);
		begin_threads(LOG_NOTHING);
		then(1, LOG_ACQUIRE);
		then(2, LOG_ACQUIRE);
		stop(1, LOG_ACQUIRE);
		stop(2, LOG_ACQUIRE);
		start("deadlock");
		wait_for(&threads[1].where, REPLAY_BLOCKED);
		wait_for(&threads[2].where, REPLAY_BLOCKED);
		ASSERT_EQ(state->phase, REPLAY_GOES);
		ASSERT_EQ(threads[1].kind, LOG_ACQUIRE);
		ASSERT_EQ(threads[1].step, 3);
		ASSERT_TRUE(threads[1].object && threads[2].object);
		ASSERT_TRUE(threads[1].object != threads[2].object);
		ASSERT_TRUE(threads[1].depth >= 2);
		kill_it();
	}
}

TAP_CASE(crash_in_one_order_only)
{
	build();
	for (int i = 0; i < TAP_PART(50); i++) {
		for (enum plan_end order = PLAN_AB; order <= PLAN_BA; order++) {
			begin_plan(3, order);
			begin_threads(LOG_NOTHING);
			then(1, LOG_READ);
			stop(1, LOG_READ);
			stop(2, LOG_WRITE);
			start("crash");
			int status = finish();

			ASSERT_EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0,
				  order == PLAN_AB ? 0 : SIGSEGV);
			ASSERT_EQ(threads[1].address, threads[2].address);
			ASSERT_EQ(threads[1].size, 8);
			ASSERT_EQ(threads[1].value, threads[2].value);
			ASSERT_TRUE(threads[1].value != 0);
			end();
		}
	}
}

TAP_CASE(held_at_the_stops)
{
	build();
	begin_plan(3, PLAN_AB);
	plan.hold = 1;
	begin_threads(LOG_NOTHING);
	then(1, LOG_READ);
	stop(1, LOG_READ);
	stop(2, LOG_WRITE);
	start("crash");
	wait_for(&state->phase, REPLAY_STANDS);
	ASSERT_EQ(threads[1].where, REPLAY_AT_STOP);
	ASSERT_EQ(threads[2].where, REPLAY_AT_STOP);
	wait_for(&threads[0].where, REPLAY_HELD);
	uint32_t moves = load_word(&state->moves);

	usleep(20000);
	ASSERT_EQ(load_word(&state->moves), moves);
	__atomic_store_n(&state->go, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &state->go, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	ASSERT_EQ(finish(), 0);
	end();
}

#define TICKETS 100

TAP_CASE(random_interleavings)
{
	build();
	struct random r = random_seeded(7);

	for (int i = 0; i < TAP_PART(50); i++) {
		char want[4 * TICKETS + 32] = "0 0 0 ";
		size_t n = strlen(want);
		unsigned left[5] = {0, TICKETS, TICKETS, TICKETS, TICKETS};

		begin_plan(5, PLAN_ALL);
		begin_threads(LOG_NOTHING);
		for (unsigned k = 0; k < 4 * TICKETS;) {
			uint32_t thread = 1 + (uint32_t)random_below(&r, 4);

			if (!left[thread])
				continue;
			/* rmw, then a branch that the plan leaves out */
			at(thread, 2 + 2 * (TICKETS - left[thread]), LOG_RMW, 0);
			left[thread]--;
			want[n++] = (char)('0' + thread);
			k++;
		}
		strcpy(want + n, "\n");
		expect("tickets", want);
	}
}

/* Threads 1 and 2 wait, in this order; the signals wake `first`, then the other one. */
static void plan_signals(uint32_t first)
{
	begin_plan(4, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	for (uint32_t i = 1; i <= 2; i++) {
		then(i, LOG_ACQUIRE);
		then(i, LOG_WAIT);
	}
	uint32_t signals[2];

	for (int i = 0; i < 2; i++) {
		then(3, LOG_ACQUIRE);
		signals[i] = then(3, LOG_SIGNAL);
		then(3, LOG_RELEASE);
	}
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t thread = i ? 3 - first : first;

		steps[then(thread, LOG_WOKEN)].other = signals[i] + 1;
		then(thread, LOG_RELEASE);
	}
}

TAP_CASE(signals_wake_whom_the_plan_names)
{
	build();
	for (int i = 0; i < TAP_PART(20); i++) {
		plan_signals(1);
		expect("signal", "1 2 0 \n");
		plan_signals(2);
		expect("signal", "2 1 0 \n");
	}
}

/* Each wakes one; which of them has the mutex first is then anybody's guess. */
TAP_CASE(signals_after_the_plan)
{
	build();
	for (int i = 0; i < TAP_PART(20); i++) {
		begin_plan(4, PLAN_ALL);
		begin_threads(LOG_NOTHING);
		for (uint32_t t = 2; t; t--) {
			then(t, LOG_ACQUIRE);
			then(t, LOG_WAIT);
		}
		expect_either("signal", "2 1 0 \n", "1 2 0 \n");
	}
}

TAP_CASE(broadcast_wakes_all)
{
	build();
	for (int i = 0; i < TAP_PART(20); i++) {
		begin_plan(4, PLAN_ALL);
		begin_threads(LOG_NOTHING);
		for (uint32_t t = 1; t <= 2; t++) {
			then(t, LOG_ACQUIRE);
			then(t, LOG_WAIT);
		}
		then(3, LOG_ACQUIRE);
		uint32_t by = then(3, LOG_BROADCAST) + 1;

		then(3, LOG_RELEASE);
		steps[then(2, LOG_WOKEN)].other = by;
		then(2, LOG_RELEASE);
		steps[then(1, LOG_WOKEN)].other = by;
		expect("broadcast", "2 1 0 \n");
	}
}

TAP_CASE(timeouts)
{
	build();
	char want[64];

	begin_plan(2, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	then(1, LOG_ACQUIRE);
	then(1, LOG_WAIT);
	then(1, LOG_WOKEN);
	snprintf(want, sizeof(want), "%d 0 0 \n", ETIMEDOUT);
	expect("hour", want);

	/* by itself, after the plan */
	begin_plan(2, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	then(1, LOG_ACQUIRE);
	expect("moment", want);

	begin_plan(3, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	then(1, LOG_ACQUIRE);
	then(2, LOG_TRY_FAIL);
	then(1, LOG_RELEASE);
	snprintf(want, sizeof(want), "0 %d 0 \n", ETIMEDOUT);
	expect("timed", want);
}

TAP_CASE(tries_end_as_planned)
{
	build();
	for (int i = 0; i < TAP_PART(20); i++) {
		char want[64];

		begin_plan(3, PLAN_ALL);
		begin_threads(LOG_NOTHING);
		then(1, LOG_ACQUIRE);
		then(2, LOG_TRY_FAIL);
		then(1, LOG_RELEASE);
		snprintf(want, sizeof(want), "0 %d 0 \n", EBUSY);
		expect("try", want);

		begin_plan(3, PLAN_ALL);
		begin_threads(LOG_NOTHING);
		then(1, LOG_ACQUIRE);
		then(1, LOG_RELEASE);
		then(2, LOG_ACQUIRE);
		expect("try", "0 0 0 \n");

		begin_plan(3, PLAN_ALL);
		begin_threads(LOG_SEM_INIT);
		then(2, LOG_SEM_FAIL);
		then(1, LOG_SEM_POST);
		snprintf(want, sizeof(want), "0 %d 0 \n", EAGAIN);
		expect("sem", want);

		begin_plan(3, PLAN_ALL);
		begin_threads(LOG_SEM_INIT);
		then(1, LOG_SEM_POST);
		then(2, LOG_SEM_WAIT);
		expect("sem", "0 0 0 \n");

		begin_plan(3, PLAN_ALL);
		begin_threads(LOG_SEM_INIT);
		then(1, LOG_SEM_POST);
		then(2, LOG_SEM_WAIT);
		then(2, LOG_SEM_FAIL);
		snprintf(want, sizeof(want), "0 %d 0 \n", ETIMEDOUT);
		expect("sem-wait", want);
	}
}

TAP_CASE(barriers_and_once)
{
	build();
	for (uint32_t last = 1; last <= 2; last++) {
		begin_plan(3, PLAN_ALL);
		begin_threads(LOG_BARRIER_INIT);
		then(3 - last, LOG_BARRIER_ENTER);
		then(last, LOG_BARRIER_ENTER);
		then(1, LOG_BARRIER_EXIT);
		then(2, LOG_BARRIER_EXIT);
		expect("barrier", last == 1 ? "1 0 0 \n" : "0 1 0 \n");

		begin_plan(3, PLAN_ALL);
		begin_threads(LOG_NOTHING);
		then(last, LOG_ONCE_BEGIN);
		then(last, LOG_WRITE);
		then(last, LOG_ONCE_END);
		then(3 - last, LOG_ONCE_PASS);
		then(3 - last, LOG_READ);
		then(last, LOG_READ);
		expect("once", "7 7 0 \n");
	}
}

/* A range is one step, a copy two: the write behind them is step 5. */
TAP_CASE(ranges)
{
	build();
	begin_plan(3, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	then(1, LOG_WRITE);
	then(1, LOG_READ);
	then(1, LOG_WRITE);
	then(1, LOG_WRITE);
	then(2, LOG_READ);
	expect("range", "0 1 0 \n");

	begin_plan(3, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	then(2, LOG_READ);
	at(1, 5, LOG_WRITE, 0);
	expect("range", "0 0 0 \n");
}

static void expect_divergence(const char *name, uint32_t thread, uint32_t index)
{
	start(name);
	wait_for(&state->phase, REPLAY_DIVERGED);
	ASSERT_EQ(state->diverged, thread);
	ASSERT_EQ(state->expected, index);
	ASSERT_EQ(waitpid(child, NULL, WNOHANG), 0);
	kill_it();
}

TAP_CASE(divergence)
{
	build();
	/* another kind */
	begin_plan(3, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	then(2, LOG_ACQUIRE);
	uint32_t wrong = then(1, LOG_WRITE);

	then(2, LOG_ACQUIRE);
	expect_divergence("deadlock", 1, wrong);

	/* the thread ends before */
	begin_plan(3, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	wrong = at(2, 7, LOG_WRITE, 0);
	expect_divergence("crash", 2, wrong);

	/* at a stop */
	begin_plan(3, PLAN_AB);
	begin_threads(LOG_NOTHING);
	stop(1, LOG_WRITE);
	stop(2, LOG_WRITE);
	expect_divergence("crash", 1, plan.steps - 2);
}

/* Thread 1 cannot have the lock: nobody moves, and that can be seen. */
TAP_CASE(infeasible)
{
	build();
	begin_plan(3, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	then(2, LOG_ACQUIRE);
	then(1, LOG_ACQUIRE);
	uint32_t never = then(1, LOG_ACQUIRE);

	then(2, LOG_ACQUIRE);
	start("deadlock");
	wait_for(&state->turn, never);
	wait_for(&threads[1].where, REPLAY_BLOCKED);
	wait_for(&threads[2].where, REPLAY_WAITS);
	ASSERT_EQ(state->phase, REPLAY_FOLLOWS);
	kill_it();
}

TAP_CASE(exit_while_others_are_held)
{
	build();
	begin_plan(3, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	then(1, LOG_READ);
	/* thread 2 calls exit before the stop of thread 1 */
	then(2, LOG_WRITE);
	start("exit");
	int status = finish();

	ASSERT_TRUE(WIFEXITED(status));
	ASSERT_EQ(WEXITSTATUS(status), 5);
	end();
}

/* Not in the plan, it runs on. */
TAP_CASE(steps_that_are_not_planned)
{
	build();
	begin_plan(3, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	at(1, 100, LOG_READ, 0);
	then(2, LOG_WRITE);
	expect("spin", "0 0 0 \n");
}

TAP_CASE(damaged_plans)
{
	build();
	begin_plan(3, PLAN_ALL);
	begin_threads(LOG_NOTHING);
	plan.version++;
	start("crash");
	int status = finish();

	ASSERT_EQ(status, 0);
	ASSERT_EQ(state->turn, 0);
	end();
}
