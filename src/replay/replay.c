/* SPDX-License-Identifier: MIT */
#include "replay/replay.h"

#include "base/seconds.h"
#include "record/inputs.h"
#include "record/run/hang.h"
#include "record/run/launch.h"
#include "replay/client.h"
#include "replay/feed.h"
#include "replay/kind.h"
#include "replay/stall.h"
#include "runtime/log.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INTERVAL_NS 2000000
#define OUTPUT_KEPT 4000

const char *const replay_outcome_text[REPLAY_OUTCOME_COUNT] = {
#define TEXT_ROW(name, text) [name] = text,
	REPLAY_OUTCOMES(TEXT_ROW)
#undef TEXT_ROW
};

struct watching {
	const struct replay_plan *plan;
	const struct recorded *command;
	const struct replay_options *options;
	struct replay_run *run;
	struct replay_state *state; /* mapped; behind it the threads */
	size_t state_size;
	uint32_t phase, turn, moves; /* when last looked */
	double since;		     /* they are so */
	double went;		     /* when it was let go */
	double blocked;		     /* since when all that are to block are, 0: they are not */
	bool decided;
	struct stall stall;
	double stalls;	  /* since it was looked at that nothing moves, 0: it was not */
	struct feed feed; /* if the run was given its standard input by a pipe */
	bool feeds;
	pid_t client; /* 0: it was not started */
};

static const struct replay_thread *threads_of(const struct watching *w)
{
	return (const struct replay_thread *)(w->state + 1);
}

static void note_threads(const struct watching *w, replay_threads *to)
{
	uint32_t n = __atomic_load_n(&w->state->threads, __ATOMIC_SEQ_CST);

	if (n > w->plan->threads.n)
		n = (uint32_t)w->plan->threads.n;
	to->n = 0;
	for (uint32_t i = 0; i < n; i++)
		vec_push(to, threads_of(w)[i]);
}

/* Outcomes */

static const struct plan_step *stop_at(const struct watching *w, uint32_t i)
{
	return &w->plan->steps.at[w->plan->steps.n - w->plan->stops + i];
}

static bool addresses_meet(const struct watching *w)
{
	const struct replay_thread *a = &threads_of(w)[stop_at(w, 0)->thread];
	const struct replay_thread *b = &threads_of(w)[stop_at(w, 1)->thread];

	return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* What a library function does is told when it is done. That another thread then stands at its own
 * access shows nothing. */
static bool any_performed(const struct watching *w)
{
	return threads_of(w)[stop_at(w, 0)->thread].performed ||
	       threads_of(w)[stop_at(w, 1)->thread].performed;
}

/* Of two threads that stand at their accesses. */
static enum replay_outcome pair_outcome(const struct watching *w)
{
	if (!addresses_meet(w))
		return REPLAY_ELSEWHERE;
	return any_performed(w) ? REPLAY_TOO_LATE : REPLAY_SHOWN;
}

/* All that are to block are blocked, at those steps. */
static bool blocked_as_predicted(const struct watching *w)
{
	for (uint32_t i = 0; i < w->plan->stops; i++) {
		const struct replay_thread *t = &threads_of(w)[stop_at(w, i)->thread];

		if (__atomic_load_n(&t->where, __ATOMIC_SEQ_CST) != REPLAY_BLOCKED ||
		    t->step != stop_at(w, i)->step)
			return false;
	}
	return true;
}

static int decide(struct watching *w, enum replay_outcome outcome)
{
	w->run->outcome = outcome;
	w->decided = true;
	note_threads(w, &w->run->last);
	w->run->state = *w->state;
	return 0;
}

static int give_up(struct watching *w, enum replay_outcome outcome)
{
	decide(w, outcome);
	w->run->killed = true;
	return SIGKILL;
}

/* Watching */

/* A debugger may have changed which goes first. */
static void read_order(struct watching *w)
{
	char path[sizeof(w->run->directory) + 16];
	struct plan head;

	snprintf(path, sizeof(path), "%s/plan", w->run->directory);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	    head.end <= PLAN_ALL)
		w->run->end = (enum plan_end)head.end;
	if (fd >= 0)
		close(fd);
}

static void show_stops(struct watching *w, pid_t program)
{
	const struct replay_stop stop = {.program = program, .plan = w->plan, .run = w->run};

	if (!w->options->at_stops)
		return;
	w->options->at_stops(w->options->context, &stop);
	read_order(w);
}

static void let_go(struct watching *w, pid_t program)
{
	note_threads(w, &w->run->stood);
	if (!w->plan->stops)
		decide(w, REPLAY_SHOWN);
	else if (replay_kind_of(w->plan)->goes_on)
		decide(w, replay_kind_of(w->plan)->pair ? pair_outcome(w) : REPLAY_SHOWN);
	show_stops(w, program);
	w->went = seconds_now();
	__atomic_store_n(&w->state->go, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &w->state->go, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* All steps of a plan without stops have been taken. */
static int show_end(struct watching *w, pid_t program)
{
	note_threads(w, &w->run->stood);
	show_stops(w, program);
	return give_up(w, REPLAY_SHOWN);
}

static int watch_blocking(struct watching *w, double now)
{
	double rest = (double)w->options->grace / 1000;
	bool blocked = blocked_as_predicted(w);

	if (!blocked)
		w->blocked = 0;
	else if (!w->blocked)
		w->blocked = now;
	if (blocked && now - w->since >= rest)
		return give_up(w, REPLAY_SHOWN);
	if (now - w->went < w->options->timeout)
		return 0;
	w->run->blocked_for = blocked ? now - w->blocked : 0;
	return give_up(w,
		       blocked && replay_kind_of(w->plan)->lasts ? REPLAY_SHOWN : REPLAY_WENT_ON);
}

/* Nobody moves, and somebody waits for what the recorded run did not get. */
static bool is_starved(const struct watching *w, double now)
{
	return __atomic_load_n(&w->state->starved, __ATOMIC_SEQ_CST) &&
	       now - w->since >= (double)w->options->grace / 1000;
}

/* What follows a race may take its time, but not for ever. */
static int watch_aftermath(struct watching *w, double now)
{
	w->run->starved = is_starved(w, now);
	if (!w->run->starved && now - w->went < w->options->timeout)
		return 0;
	note_threads(w, &w->run->last);
	w->run->killed = true;
	return SIGKILL;
}

static void look(struct watching *w, double now)
{
	uint32_t phase = __atomic_load_n(&w->state->phase, __ATOMIC_SEQ_CST);
	uint32_t turn = __atomic_load_n(&w->state->turn, __ATOMIC_SEQ_CST);
	uint32_t moves = __atomic_load_n(&w->state->moves, __ATOMIC_SEQ_CST);

	if (!w->went && now - w->since > w->run->rested)
		w->run->rested = now - w->since;
	if (phase == w->phase && turn == w->turn && moves == w->moves)
		return;
	w->phase = phase;
	w->turn = turn;
	w->moves = moves;
	w->since = now;
	w->stalls = 0;
}

/* Nothing moves, so far. */
static int watch_stall(struct watching *w, pid_t program, double now)
{
	double most = w->options->turn > 0 ? w->options->turn : w->options->timeout;

	if (!w->stalls && now - w->since >= most / 2) {
		stall_look(&w->stall, program, w->plan, w->state, threads_of(w));
		w->stalls = now;
	}
	if (now - w->since < most)
		return 0;
	w->run->waits_unseen = stall_is_unseen(&w->stall, now - w->stalls, program, w->plan,
					       w->state, threads_of(w));
	return give_up(w, REPLAY_STALLED);
}

/* Nobody moves any more, if there is nobody else: then that is noted in the log, too. */
static bool is_stuck(struct watching *w)
{
	uint32_t moves = __atomic_load_n(&w->state->steps, __ATOMIC_SEQ_CST);
	struct log_run *log = launch_map(w->run->directory);
	bool stuck = log && hang_all_sleep(log) &&
		     __atomic_load_n(&w->state->rest, __ATOMIC_SEQ_CST) == REPLAY_STUCK &&
		     __atomic_load_n(&w->state->steps, __ATOMIC_SEQ_CST) == moves;

	if (stuck)
		log->why = LOG_HANG;
	if (log)
		munmap(log, sizeof(*log));
	return stuck;
}

static int watch_schedule(struct watching *w, pid_t program, double now)
{
	uint32_t rest = __atomic_load_n(&w->state->rest, __ATOMIC_SEQ_CST);

	if (w->phase == REPLAY_STANDS && !w->went && w->options->at_stops)
		let_go(w, program);
	if (w->phase != REPLAY_GOES)
		return w->went ? 0 : watch_stall(w, program, now);
	if (!w->went)
		w->went = now;
	if (rest == REPLAY_STUCK && is_stuck(w))
		return give_up(w, REPLAY_SHOWN);
	w->run->starved = is_starved(w, now);
	if (w->run->starved)
		return give_up(w, REPLAY_SHOWN);
	w->run->late = rest == REPLAY_ENDLESS || now - w->went >= w->options->timeout;
	return w->run->late ? give_up(w, REPLAY_SHOWN) : 0;
}

static bool waits_to_block(const struct watching *w)
{
	return !replay_kind_of(w->plan)->goes_on && w->plan->stops;
}

/* Somebody wants us to end, and we have put that off. */
static bool is_interrupted(const struct watching *w)
{
	sigset_t came;

	return w->options->apart && !sigpending(&came) &&
	       (sigismember(&came, SIGINT) || sigismember(&came, SIGTERM) ||
		sigismember(&came, SIGHUP));
}

static int watch(void *context, pid_t program)
{
	struct watching *w = context;
	double now = seconds_now();

	if (!w->run->killed && is_interrupted(w)) {
		w->run->interrupted = true;
		return give_up(w, REPLAY_STALLED);
	}

	if (w->feeds)
		feed_look(&w->feed);
	if (w->options->client && !w->client)
		w->client = client_begin(w->options->client);
	if (w->run->killed)
		return SIGKILL;
	look(w, now);
	if (w->phase == REPLAY_DIVERGED)
		return give_up(w, REPLAY_OTHER_WAY);
	if (w->options->schedule)
		return watch_schedule(w, program, now);
	if (w->phase == REPLAY_STANDS && !w->plan->stops && !w->options->goes_on)
		return show_end(w, program);
	if (w->phase == REPLAY_STANDS && !w->went)
		let_go(w, program);
	else if (w->went)
		return waits_to_block(w) ? watch_blocking(w, now) : watch_aftermath(w, now);
	else
		return watch_stall(w, program, now);
	return 0;
}

/* The program */

static int redirect(const char *directory, const char *name, int to)
{
	char path[4096 + 16];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || dup2(fd, to) < 0)
		return -1;
	close(fd);
	return 0;
}

static void go_apart(void)
{
	sigset_t none;

	sigemptyset(&none);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int in_child(void *context)
{
	const struct watching *w = context;

	if (w->options->apart)
		go_apart();

	if (!w->options->streams && (redirect(w->run->directory, "output", STDOUT_FILENO) < 0 ||
				     redirect(w->run->directory, "errors", STDERR_FILENO) < 0))
		return -1;
	/* not everywhere allowed; nothing depends on it */
	personality(personality(0xffffffff) | ADDR_NO_RANDOMIZE);
	if (w->feeds && feed_in_child(&w->feed) < 0)
		return -1;
	return recorded_restore(w->command);
}

/* The last part of a file, or NULL; the caller frees it. */
static char *read_end(const char *directory, const char *name, off_t most)
{
	char path[4096 + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0)
		st.st_size = 0;
	off_t size = most && st.st_size > most ? most : st.st_size;
	char *text = mem_alloc((size_t)size + 1);
	ssize_t got = pread(fd, text, (size_t)size, st.st_size - size);

	text[got < 0 ? 0 : got] = '\0';
	close(fd);
	return text;
}

static int map_state(struct watching *w, struct err *err)
{
	char path[4096 + 16];

	snprintf(path, sizeof(path), "%s/state", w->run->directory);
	w->state_size =
		sizeof(struct replay_state) + w->plan->threads.n * sizeof(struct replay_thread);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	void *map = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)w->state_size))
		map = mmap(NULL, w->state_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int error = errno;

	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(error));
	w->state = map;
	for (uint32_t i = 0; i < w->options->decision_count; i++)
		w->state->decisions[i] = w->options->decisions[i];
	w->state->given = w->options->decision_count;
	return 0;
}

/* Another thread may have noticed, and ended the program: they were blocked all the same. */
static void end_of_blocking(struct watching *w)
{
	if (w->blocked && blocked_as_predicted(w))
		w->run->blocked_for = seconds_now() - w->blocked;
	w->run->outcome = REPLAY_WENT_ON;
}

/* The program is over, by itself or by us. */
static void conclude(struct watching *w)
{
	struct replay_run *run = w->run;

	if (w->decided)
		return;
	decide(w, REPLAY_EARLY_END);
	if (w->options->schedule && w->state->phase == REPLAY_GOES)
		run->outcome = REPLAY_SHOWN;
	if (!w->state->threads)
		run->outcome = REPLAY_UNHEARD;
	else if (w->state->phase == REPLAY_DIVERGED)
		run->outcome = REPLAY_OTHER_WAY;
	else if (w->went && !w->options->schedule)
		end_of_blocking(w);
	else if (!w->plan->stops && w->state->turn >= w->plan->steps.n)
		run->outcome = REPLAY_SHOWN;
}

static int prepare(struct watching *w, const struct launch_options *launch, struct err *err)
{
	const struct replay_options *o = w->options;
	struct plan head = {.end = o->end,
			    .hold = !o->schedule || o->at_stops,
			    .grace = o->grace,
			    .schedule = o->schedule,
			    .first = o->schedule ? o->first : PLAN_NONE,
			    .fails = o->fails,
			    .wakes = o->wakes,
			    .prints = o->prints,
			    .depth = o->depth,
			    .length = o->length,
			    .sockets = !o->real_sockets && inputs_have_sockets(&w->command->inputs),
			    .seed = o->seed};
	char template[4096], path[4096 + 16];

	snprintf(template, sizeof(template), "%s/replay.XXXXXX", w->options->scratch);
	if (launch_prepare(template, launch, err) < 0)
		return err->code;
	/* the program may go elsewhere before it looks */
	if (!realpath(template, w->run->directory))
		snprintf(w->run->directory, sizeof(w->run->directory), "%s", template);
	snprintf(path, sizeof(path), "%s/plan", w->run->directory);
	if (replay_plan_write(w->plan, path, head, err) < 0 ||
	    inputs_write(&w->command->inputs, w->run->directory, err) < 0)
		return err->code;
	return map_state(w, err);
}

int replay_once(const struct replay_plan *plan, const struct recorded *command,
		const struct replay_options *options, struct replay_run *run, struct err *err)
{
	struct watching w = {.plan = plan,
			     .command = command,
			     .options = options,
			     .run = run,
			     .since = seconds_now()};
	struct launch_options launch = {.mode = LOG_REPLAY,
					.max_input = INPUTS_LIMIT,
					.max_bytes = options->log,
					.apart = options->apart,
					.standard_input = recorded_kind(command),
					.exit_wait = LOG_EXIT_WAIT,
					.in_child = in_child,
					.watch = watch,
					.interval = INTERVAL_NS,
					.context = &w};

	*run = (struct replay_run){.end = options->end};
	const inputs_bytes *input = &command->inputs.standard_input;
	int code = prepare(&w, &launch, err);

	if (!code && recorded_kind(command) == LOG_STDIN_SAVED) {
		w.feeds = !feed_begin(&w.feed, input->at, input->n);
		if (!w.feeds)
			code = err_set(err, ERR_SYSTEM, "standard input: %s", strerror(errno));
	}
	if (!code)
		code = launch_run(run->directory, command->argv.at, &launch, &run->ended, err);
	client_end(w.client);
	run->interrupted |= !code && launch_was_interrupted();
	if (!code && options->apart)
		kill(-run->ended.pid, SIGKILL);
	if (!code)
		conclude(&w);
	if (w.feeds)
		feed_end(&w.feed);
	run->modules = read_end(run->directory, "modules", 0);
	off_t most = options->output ? (off_t)options->output : OUTPUT_KEPT;

	run->output = read_end(run->directory, "output", most);
	run->errors = read_end(run->directory, "errors", most);
	if (w.state)
		munmap(w.state, w.state_size);
	return code;
}

void replay_run_release(struct replay_run *run)
{
	if (*run->directory)
		launch_remove(run->directory);
	vec_release(&run->stood);
	vec_release(&run->last);
	mem_free(run->output);
	mem_free(run->errors);
	mem_free(run->modules);
}
