/* SPDX-License-Identifier: MIT */
#include "hunt/run/attempt.h"

#include "record/record.h"
#include "replay/tell.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Threads that the plan does not have are looked at, too, up to this number. */
#define THREADS_SEEN 64
#define GRACE_MS 300
#define LOG_MOST ((uint64_t)512 << 20)
#define OUTPUT_KEPT ((uint64_t)1 << 20)

/* The command */

int attempt_command_new(struct attempt_command *c, const char *recorder, char *const *argv,
			struct err *err)
{
	struct launch_result none = {0};

	symbols_init(&c->own);
	recorded_begin(&c->own, recorder, argv);
	recorded_end(&c->own, &none);
	c->facts = &c->own;
	c->recorded = (struct recorded){0};
	return recorded_read(&c->recorded, c->facts, argv[0], err);
}

int attempt_command_of(struct attempt_command *c, const struct symbols *facts, const char *trace,
		       struct err *err)
{
	*c = (struct attempt_command){.facts = facts};
	return recorded_read(&c->recorded, facts, trace, err);
}

void attempt_command_release(struct attempt_command *c)
{
	recorded_release(&c->recorded);
	if (c->facts == &c->own)
		symbols_release(&c->own);
}

/* The run */

static enum attempt_end end_of(const struct replay_run *run)
{
	if (run->interrupted)
		return ATTEMPT_STOPPED;
	if (run->outcome == REPLAY_UNHEARD || !run->ended.recorded)
		return ATTEMPT_UNHEARD;
	if (run->outcome != REPLAY_SHOWN)
		return ATTEMPT_DIVERGED;
	if (run->state.rest == REPLAY_STUCK)
		return ATTEMPT_STUCK;
	return run->late ? ATTEMPT_ENDLESS : ATTEMPT_ENDED;
}

static void note_run(struct attempt *a, const struct replay_plan *plan, struct replay_run *run)
{
	*a = (struct attempt){.end = end_of(run),
			      .status = run->ended.status,
			      .signal = run->ended.signal,
			      .output = run->output,
			      .errors = run->errors,
			      .steps = run->state.steps,
			      .lost = run->state.lost,
			      .given_up = PLAN_NONE};
	run->output = run->errors = NULL;
	for (uint32_t i = 0; i < run->state.decided && i < REPLAY_DECISIONS; i++)
		vec_push(&a->decisions, run->state.decisions[i]);
	if (a->end == ATTEMPT_DIVERGED) {
		a->given_up = run->state.turn;
		replay_tell_result(plan, run, a->why, sizeof(a->why));
	}
}

/*
 * Facts of the run: how it ended is part of them. What is private in one run may not be so in
 * another, and their choices are to be the same: so all is kept.
 */
static int write_as(struct record_result *result, const struct replay_run *run,
		    const struct attempt_command *command, const struct record_options *options,
		    const char *path, struct err *err)
{
	struct symbols metas;
	struct output *out = output_open(path, OUTPUT_PRIVATE, err);

	if (!out)
		return err->code;
	symbols_init(&metas);
	recorded_copy(&metas, command->facts, &run->ended);
	int code = record_write(run->directory, options, &metas, out, result, err);

	symbols_release(&metas);
	if (code < 0) {
		output_abandon(out);
		return code;
	}
	return output_close(out, err);
}

static int write_trace(struct attempt *a, const struct replay_run *run,
		       const struct attempt_command *command, const struct attempt_options *o,
		       const char *path, struct err *err)
{
	struct record_options options = {.scanner = o->scanner, .keep_all = true, .again = true};
	struct record_result result;
	int code = write_as(&result, run, command, &options, path, err);

	if (!code && result.unsettled) {
		options.guesses = true;
		code = write_as(&result, run, command, &options, path, err);
	}
	if (!code && result.stops.n)
		snprintf(a->stopped, sizeof(a->stopped), "%s", result.stops.text[0]);
	return code;
}

static void pad_threads(struct replay_plan *plan)
{
	while (plan->threads.n < THREADS_SEEN)
		vec_push(&plan->threads,
			 ((struct plan_thread){.first = PLAN_NONE, .handler = PLAN_NONE}));
}

int attempt_run(struct attempt *a, const struct replay_plan *plan, struct attempt_first first,
		const struct attempt_command *command, const struct attempt_options *o,
		const char *trace, struct err *err)
{
	struct replay_options options = {.end = PLAN_ALL,
					 .timeout = o->timeout,
					 .grace = GRACE_MS,
					 .trust = true,
					 .real_sockets = true,
					 .goes_on = true,
					 .apart = true,
					 .log = LOG_MOST,
					 .schedule = o->schedule,
					 .first = first.thread,
					 .fails = first.fails,
					 .wakes = first.wakes,
					 .prints = o->prints,
					 .depth = o->depth,
					 .length = o->length,
					 .seed = o->seed,
					 .decisions = o->decisions,
					 .decision_count = o->decision_count,
					 .output = OUTPUT_KEPT,
					 .scratch = o->scratch};
	struct replay_plan padded = plan ? *plan : (struct replay_plan){.bug = BUG_COUNT};
	struct replay_run run;

	*a = (struct attempt){0};
	if (plan) {
		memset(&padded.threads, 0, sizeof(padded.threads));
		for (size_t i = 0; i < plan->threads.n; i++)
			vec_push(&padded.threads, plan->threads.at[i]);
	}
	pad_threads(&padded);
	sigset_t ends, old;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &old);
	int code = replay_once(&padded, &command->recorded, &options, &run, err);

	if (!code) {
		note_run(a, &padded, &run);
		if (a->end < ATTEMPT_DIVERGED)
			code = write_trace(a, &run, command, o, trace, err);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	replay_run_release(&run);
	vec_release(&padded.threads);
	return code;
}

void attempt_release(struct attempt *a)
{
	mem_free(a->output);
	mem_free(a->errors);
	vec_release(&a->decisions);
}
