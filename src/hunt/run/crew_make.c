/* SPDX-License-Identifier: MIT */
/* One run of a crew: a task of the engines, or a schedule from the start. */
#include "hunt/run/crew.h"
#include "hunt/run/describe.h"

#include <stdio.h>

#define TRIES 2 /* of a plan that is not followed */

/* Whom its first step wakes. */
static void put_wakes(struct replay_plan *plan, const struct hunt_task *task)
{
	for (uint32_t i = 0; i < task->wake_count; i++) {
		const char *name = symbols_name(plan->symbols, CLASS_THREAD, task->wakes[i]);
		uint32_t number = replay_thread_number(name);

		if (number < plan->threads.n)
			plan->threads.at[number].wakes = 1;
	}
}

static int make_plan(struct replay_plan *plan, const char *trace, const struct hunt_task *task,
		     struct err *err)
{
	struct reader *r = reader_open(trace, NULL, err);
	struct witness schedule = task->witness;

	*plan = (struct replay_plan){0};
	if (!r)
		return err->code;
	schedule.bug_events.n = 0; /* nobody stops */
	int code = replay_plan_make(plan, r, &schedule, err);

	plan->bug = BUG_COUNT;
	if (!code)
		put_wakes(plan, task);
	return code;
}

static int follow_plan(const struct attempt_options *o, const struct replay_plan *plan,
		       const struct choice_told *told, struct crew_run *run, struct err *err)
{
	struct attempt_command command;
	struct attempt *a = &run->attempt;
	int code = attempt_command_of(&command, plan->symbols, run->from, err);

	while (!code && run->times < TRIES && a->end == ATTEMPT_DIVERGED) {
		attempt_release(a);
		code = attempt_run(a, plan, told->first, &command, o, run->path, err);
		run->times += !code;
	}
	attempt_command_release(&command);
	return code;
}

static int make_task(const struct attempt_options *o, struct crew_run *run, struct err *err)
{
	struct choice_told told;
	struct replay_plan plan = {0};

	run->attempt.end = ATTEMPT_DIVERGED;
	int code = choice_tell(&told, run->from, run->task, err);

	if (code < 0)
		return code;
	snprintf(run->choice, sizeof(run->choice), "%s", told.text);
	code = make_plan(&plan, run->from, run->task, err);
	if (code > 0)
		snprintf(run->attempt.why, sizeof(run->attempt.why), "%s", err->message);
	if (!code)
		code = follow_plan(o, &plan, &told, run, err);
	replay_plan_release(&plan);
	return code < 0 ? code : 0;
}

void crew_make(const struct crew_options *options, struct crew_run *run)
{
	struct attempt_options o = options->attempt;

	o.schedule = run->schedule;
	o.seed = run->seed;
	o.length = run->length;
	run->attempt = (struct attempt){0};
	run->choice[0] = '\0';
	run->times = 0;
	run->end = CREW_MADE;
	if (run->task) {
		run->code = make_task(&o, run, &run->err);
		return;
	}
	run->code = attempt_run(&run->attempt, NULL, (struct attempt_first){.thread = PLAN_NONE},
				options->command, &o, run->path, &run->err);
	run->times = 1;
}
