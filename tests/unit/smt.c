/* SPDX-License-Identifier: MIT */
/*
 * Engines that ask other programs, when these do not do as they should: the answer is
 * "undecided", with a reason, and the next query is asked as if nothing had been.
 */
#include "base/seconds.h"
#include "search/engine.h"
#include "tests/support/explored.h"
#include "tests/support/section_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CVC5 "cvc5 --lang smt2"

/* 1 and 4 race: o2 is all that has a place. 1 and 3 are ordered. */
static const char racy[] = "t1 write x 1\nt2 mark m\nt1 fork t3\nt2 write x 2\nt3 write x 3\n";

static enum answer ask(struct engine *e, uint32_t a, uint32_t b, struct witness *w)
{
	const uint32_t events[2] = {a, b};
	struct query q = {BUG_RACE, 2, events};

	return engine_ask(e, &q, w);
}

static struct engine *start_smt(const struct index *index, struct engine_options options)
{
	struct err err = {0};

	options.model = MODEL_MAXIMAL;
	struct engine *e = engine_start(&engine_smt, index, &options, &err);

	if (!e)
		FAIL("%s", err.message);
	return e;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A solver that behaves like this leaves it undecided, soon, and says that. */
static void expect_undecided(const char *command, struct budget budget, const char *why)
{
	struct index *index = index_of_text(racy);
	struct engine *e =
		start_smt(index, (struct engine_options){.command = command, .budget = budget});
	double start = now();
	struct witness w;

	tap_at("%s", command);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(ask(e, 1, 4, &w), UNDECIDED);
		ASSERT_CONTAINS(e->why.message, why);
		ASSERT_EQ(w.run.n, 0);
	}
	ASSERT_TRUE(now() - start < 20);
	engine_finish(e);
	index_free(index);
}

static const struct budget seconds = {.seconds = 10}, moment = {.seconds = 0.2};

TAP_CASE(a_solver_that_ends_early)
{
	expect_undecided("kill -9 $$", seconds, "signal 9");
	expect_undecided("read line; kill -SEGV $$", seconds, "signal 11");
	expect_undecided("exit 3", seconds, "status 3");
	expect_undecided("no-such-solver --lang smt2", seconds, "not found");
	expect_undecided("cat > /dev/null", seconds, "no answer");
	expect_undecided("exec <&- >&-; sleep 100", seconds, "signal 9");
	expect_undecided("echo trouble >&2; exit 1", seconds, "trouble");
}

TAP_CASE(a_solver_that_prints_something_else)
{
	expect_undecided("echo Segmentation fault", seconds, "Segmentation fault");
	expect_undecided("cat > /dev/null; echo unknown", seconds, "unknown");
	expect_undecided("echo '(error \"line 1\")'", seconds, "(error");
	expect_undecided("echo unsatisfied", seconds, "unsatisfied");
	expect_undecided("yes", (struct budget){0}, "too much");
	expect_undecided("yes >&2", moment, "within 0.2 seconds");
	expect_undecided("head -c 3000000 /dev/zero", seconds, "too much");
	expect_undecided("head -c 30000 /dev/zero", seconds, "it answers");
}

TAP_CASE(a_solver_that_says_sat_and_no_more)
{
	expect_undecided("echo sat", seconds, "no execution");
	expect_undecided("echo sat; echo '(('", seconds, "no execution");
	expect_undecided("echo sat; echo '((o1 1) (o2 2))'", seconds, "no execution");
	expect_undecided("echo sat; echo '((o2 x))'", seconds, "no execution");
	expect_undecided("echo sat; echo '((o2 (- )))'", seconds, "no execution");
	expect_undecided("echo sat; echo '((o99999999999 1))'", seconds, "no execution");
	expect_undecided("echo sat; echo '((i2 true))'", seconds, "no execution");
}

TAP_CASE(a_solver_that_hangs)
{
	expect_undecided("sleep 100", moment, "within 0.2 seconds");
	expect_undecided("sleep 100 | sleep 100", moment, "within 0.2 seconds");
	expect_undecided("echo sat; sleep 100", moment, "within 0.2 seconds");
}

/* A budget is of work: that of a solver counts, and what others do with the machine does not. */
TAP_CASE(only_work_is_counted)
{
	const struct budget budget = {.seconds = 0.1};
	double deadline = seconds_spent() + 0.1;

	usleep(300000);
	ASSERT_TRUE(!budget_ended(&budget, deadline));
	expect_undecided("sleep 100", moment, "within 0.2 seconds");
	ASSERT_TRUE(budget_ended(&budget, deadline));
}

TAP_CASE(a_solver_without_memory)
{
	expect_undecided(CVC5, (struct budget){.bytes = 1 << 20}, "");
}

static volatile bool stop;

static void set_stop(int signal)
{
	(void)signal;
	stop = true;
}

TAP_CASE(a_solver_that_is_stopped)
{
	signal(SIGUSR1, set_stop);
	pid_t self = getpid(), child = fork();

	if (!child) {
		usleep(100000);
		kill(self, SIGUSR1);
		_exit(0);
	}
	expect_undecided("sleep 100", (struct budget){.stop = &stop}, "stopped");
}

TAP_CASE(an_empty_command)
{
	struct index *index = index_of_text(racy);
	struct engine_options options = {.command = ""};
	struct err err = {0};

	ASSERT_TRUE(!engine_start(&engine_smt, index, &options, &err));
	ASSERT_CONTAINS(err.message, "empty");
	index_free(index);
}

/* By hand, whatever the spelling. */
TAP_CASE(a_solver_that_answers)
{
	static const char *const commands[] = {
		NULL, /* cvc5 */
		"echo sat; echo '((o0 0) (o2 1))'",
		"cat > /dev/null; echo; echo ' sat (( o0 (- 3))(o2\t( - 1 ) ) )'",
		CVC5,
		"sh -c 'sleep 100 >&- &'; " CVC5,
	};
	struct index *index = index_of_text(racy);
	struct witness w;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		struct engine *e =
			start_smt(index, (struct engine_options){.command = commands[i]});

		tap_at("command %zu", i);
		ASSERT_EQ(ask(e, 1, 4, &w), PROVED);
		ASSERT_EQ(w.run.n, 1);
		ASSERT_EQ(w.run.at[0], 2);
		witness_release(&w);
		engine_finish(e);
	}
	struct engine *e = start_smt(index, (struct engine_options){.command = CVC5});

	ASSERT_EQ(ask(e, 1, 5, &w), REFUTED);
	ASSERT_EQ(ask(e, 4, 5, &w), PROVED);
	witness_release(&w);
	ASSERT_EQ(ask(e, 1, 2, &w), REFUTED); /* no access */
	engine_finish(e);
	index_free(index);
}

TAP_CASE(the_query_after_a_killed_one)
{
	char directory[] = "/tmp/norn-test-XXXXXX", command[300], path[100];
	struct index *index = index_of_text(racy);
	struct witness w;

	ASSERT_TRUE(mkdtemp(directory) != NULL);
	snprintf(path, sizeof(path), "%s/asked", directory);
	snprintf(command, sizeof(command),
		 "if test -e %s; then exec " CVC5 "; else : > %s; kill -9 $$; fi", path, path);
	struct engine *e = start_smt(index, (struct engine_options){.command = command});

	ASSERT_EQ(ask(e, 1, 4, &w), UNDECIDED);
	ASSERT_CONTAINS(e->why.message, "signal 9");
	ASSERT_EQ(ask(e, 1, 4, &w), PROVED);
	ASSERT_EQ(e->why.message[0], 0);
	witness_release(&w);
	engine_finish(e);
	index_free(index);
	unlink(path);
	rmdir(directory);
}

/* What was asked is written down, for other solvers to try. */
TAP_CASE(queries_as_files)
{
	char directory[] = "/tmp/norn-test-XXXXXX", path[100];
	struct index *index = index_of_text(racy);
	struct witness w;

	ASSERT_TRUE(mkdtemp(directory) != NULL);
	struct engine *e =
		start_smt(index, (struct engine_options){.command = CVC5, .dump = directory});

	ASSERT_EQ(ask(e, 1, 4, &w), PROVED);
	witness_release(&w);
	engine_finish(e);
	snprintf(path, sizeof(path), "%s/race-1-4-maximal.smt2", directory);
	struct bytes text = bytes_of_file(path);

	ASSERT_CONTAINS(text.at, "(set-logic QF_IDL)");
	ASSERT_CONTAINS(text.at, "(check-sat)");
	bytes_release(&text);
	unlink(path);
	rmdir(directory);
	/* where nothing can be written, nothing is answered */
	e = start_smt(index, (struct engine_options){.command = CVC5, .dump = directory});
	ASSERT_EQ(ask(e, 1, 4, &w), UNDECIDED);
	ASSERT_CONTAINS(e->why.message, directory);
	engine_finish(e);
	index_free(index);
}

/* Z3 */

/* Many sections that come in any order: a hard question. */
static char *hard_trace(int sections)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < sections; i++)
		for (int t = 0; t < 8; t++)
			fprintf(out,
				"t%d acquire l\nt%d write y %d\nt%d read y %d\nt%d branch\n"
				"t%d release l\n",
				t, t, i * 8 + t, t, i * 8 + t, t, t);
	fprintf(out, "t0 write x 1\nt1 write x 2\n");
	fclose(out);
	return text;
}

static void expect_z3(struct budget budget, bool decided)
{
	char *text = hard_trace(decided ? 5 : 20);
	struct index *index = index_of_text(text);
	struct engine_options options = {.model = MODEL_MAXIMAL, .budget = budget};
	struct err err = {0};
	struct engine *e = engine_start(&engine_z3, index, &options, &err);
	double start = now();
	struct witness w;

	enum answer got = ask(e, index->count - 1, index->count, &w);
	tap_note("%s after %.2f s: %s", engine_answer_text[got], now() - start, e->why.message);
	ASSERT_EQ(got == UNDECIDED, !decided);
	if (!decided)
		ASSERT_TRUE(e->why.message[0]);
	witness_release(&w);
	engine_finish(e);
	index_free(index);
	free(text);
}

TAP_CASE(z3_has_limits)
{
	expect_z3((struct budget){0}, true);
	/* no time limit here: Z3 looks at its clock when it likes, and may be done before */
	expect_z3((struct budget){.bytes = 1}, false);
	stop = true;
	expect_z3((struct budget){.stop = &stop}, false);
}
