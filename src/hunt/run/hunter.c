/* SPDX-License-Identifier: MIT */
#include "hunt/run/hunter.h"

#include "base/log.h"
#include "base/seconds.h"
#include "hunt/run/describe.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PCT_DEPTH 3
#define TRIES 2 /* of a plan that is not followed */

struct hunter {
	const struct hunter_options *options;
	struct hunter_result *result;
	struct hunt *hunt;
	struct attempt_command command;	       /* of the first run */
	uint64_t traces;		       /* that have a name */
	VEC(char *) of;			       /* the trace of each run of the hunt */
	uint32_t length;		       /* steps of the first run */
	VEC(struct replay_decision) decisions; /* STRATEGY_ALL: of the next run */
	char choice[1200];		       /* of the run that is made */
};

static void trace_path(const struct hunter *h, uint64_t number, char *path, size_t room)
{
	snprintf(path, room, "%s/%llu.norn", h->options->directory, (unsigned long long)number);
}

/* Whether it is time to stop. */
static bool is_over(struct hunter *h)
{
	const struct hunter_options *o = h->options;
	struct hunter_result *r = h->result;

	r->out_of_time |= o->deadline > 0 && seconds_now() >= o->deadline;
	r->stopped |= !r->out_of_time && o->stop && *o->stop;
	r->out_of_runs |= o->runs && r->runs >= o->runs;
	return r->stopped || r->out_of_time || r->out_of_runs;
}

static void show_progress(const struct hunter *h)
{
	struct hunt_counts counts = {0};

	if (!h->options->progress)
		return;
	if (h->hunt)
		hunt_count(h->hunt, &counts);
	h->options->progress(h->options->context, h->result->runs, &counts);
}

/* One run */

static struct attempt_options attempt_options_of(const struct hunter *h, enum plan_schedule s,
						 uint64_t seed)
{
	const struct hunter_options *o = h->options;

	return (struct attempt_options){.schedule = s,
					.seed = seed,
					.depth = PCT_DEPTH,
					.length = h->length ? h->length : 100,
					.prints = o->prints,
					.timeout = o->timeout,
					.scratch = o->scratch,
					.decisions = h->decisions.at,
					.decision_count = (uint32_t)h->decisions.n,
					.scanner = o->scanner};
}

/* Its failure, and what others say to it. */
static int look_at(struct hunter *h, struct attempt *a, const char *trace, bool is_new,
		   bool *failed, struct err *err)
{
	struct failure failure;
	struct hunter_run run = {.trace = trace,
				 .number = h->traces + 1,
				 .runs = h->result->runs,
				 .is_new = is_new,
				 .choice = h->choice,
				 .attempt = a,
				 .failure = &failure};

	failure_find(&failure, a);
	int code = h->options->look(h->options->context, &run, err);

	*failed = failure.kind != FAILURE_NONE || run.found;
	return code;
}

static int unheard(const struct hunter *h, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: not recorded; the program must be built by norn cc",
		       h->options->argv[0]);
}

/* The trace of a run that was made, to the hunt. */
static int add_trace(struct hunter *h, const char *path, const struct hunt_task *task,
		     enum hunt_result *result, struct err *err)
{
	struct reader *r = reader_open(path, NULL, err);
	struct reader *again = r ? reader_open(path, NULL, err) : NULL;
	uint32_t number;

	if (!again) {
		if (r)
			reader_close(r);
		return err->code;
	}
	int code = hunt_add(h->hunt, r, again, task, result, &number, err);

	if (code < 0 || number == UINT32_MAX)
		return code;
	vec_extend(&h->of, (size_t)number + 1);
	h->of.at[number] = memcpy(mem_alloc(strlen(path) + 1), path, strlen(path) + 1);
	h->result->behaviours += *result == HUNT_NEW;
	return 0;
}

static void count_run(struct hunter *h, const struct attempt *a)
{
	h->result->runs++;
	h->result->lost += a->lost > 0;
	h->result->endless += a->end == ATTEMPT_ENDLESS;
	if (!h->length)
		h->length = a->steps;
}

/*
 * A run from the start, by a schedule. `keeps`: what it did is of interest, even if it did not
 * fail.
 */
static int run_freely(struct hunter *h, enum plan_schedule schedule, uint64_t seed, bool keeps,
		      struct attempt *a, bool *failed, struct err *err)
{
	struct attempt_options options = attempt_options_of(h, schedule, seed);
	enum hunt_result result = HUNT_NEW;
	char path[PATH_MAX];

	*failed = false;
	trace_path(h, h->traces + 1, path, sizeof(path));
	int code = attempt_run(a, NULL, PLAN_NONE, false, &h->command, &options, path, err);

	if (code < 0 || a->end == ATTEMPT_STOPPED)
		return code;
	count_run(h, a);
	if (a->end == ATTEMPT_UNHEARD)
		return unheard(h, err);
	if (a->end == ATTEMPT_DIVERGED)
		return err_set(err, ERR_INTERNAL, "a run without a plan: %s", a->why);
	if (h->hunt && a->end != ATTEMPT_ENDLESS)
		code = add_trace(h, path, NULL, &result, err);
	if (code < 0)
		return code;
	code = look_at(h, a, path, result == HUNT_NEW, failed, err);
	if ((keeps || *failed) && result != HUNT_KNOWN)
		h->traces++;
	else
		unlink(path);
	return code;
}

/* Runs that the engines ask for */

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
	return code;
}

static int run_task(struct hunter *h, const struct hunt_task *task, const char *from,
		    const char *path, struct attempt *a, struct err *err)
{
	struct attempt_options options = attempt_options_of(h, PLAN_STAY, h->options->seed);
	struct choice_told told;
	struct attempt_command command = {0};
	struct replay_plan plan;

	h->choice[0] = '\0';
	*a = (struct attempt){.end = ATTEMPT_DIVERGED};
	int code = choice_tell(&told, from, task, err);

	if (!code)
		snprintf(h->choice, sizeof(h->choice), "%s", told.text);
	if (!code)
		code = make_plan(&plan, from, task, err);
	else
		plan = (struct replay_plan){0};
	if (code > 0)
		snprintf(a->why, sizeof(a->why), "%s", err->message);
	if (!code)
		code = attempt_command_of(&command, plan.symbols, from, err);
	for (int i = 0; !code && i < TRIES && a->end == ATTEMPT_DIVERGED; i++) {
		attempt_release(a);
		code = attempt_run(a, &plan, told.thread, told.fails, &command, &options, path,
				   err);
		if (!code)
			count_run(h, a);
	}
	if (command.facts)
		attempt_command_release(&command);
	replay_plan_release(&plan);
	return code < 0 ? code : 0;
}

/* What the run of a task came to. */
static int take_run(struct hunter *h, const struct hunt_task *task, struct attempt *a,
		    const char *path, bool *failed, bool *kept, struct err *err)
{
	enum hunt_result result;
	char why[800];

	LOG(LOG_HUNT, 1, "run %u, event %u: %s; first T%u: end %d, %u steps %s", task->run + 1,
	    task->event, h->choice, task->thread, (int)a->end, a->steps, a->why);
	if (a->end == ATTEMPT_UNHEARD)
		return unheard(h, err);
	if (a->end == ATTEMPT_STOPPED) {
		hunt_open(h->hunt, task, "interrupted");
		return 0;
	}
	if (a->end == ATTEMPT_DIVERGED || a->end == ATTEMPT_ENDLESS) {
		h->result->diverged += a->end == ATTEMPT_DIVERGED;
		snprintf(why, sizeof(why), "%s",
			 a->end == ATTEMPT_ENDLESS ? "may not end" : "diverged");
		hunt_open(h->hunt, task, why);
		return 0;
	}
	size_t before = h->of.n;
	int code = add_trace(h, path, task, &result, err);

	if (code < 0)
		return code;
	static const char *const texts[] = {[HUNT_NEW] = "new",
					    [HUNT_FURTHER] = "further",
					    [HUNT_KNOWN] = "known",
					    [HUNT_DIVERGED] = "diverged"};

	LOG(LOG_HUNT, 1, "%s", texts[result]);
	if (result == HUNT_DIVERGED)
		h->result->diverged++;
	code = look_at(h, a, path, result == HUNT_NEW, failed, err);
	*kept = h->of.n > before || *failed;
	return code;
}

static int do_task(struct hunter *h, const struct hunt_task *task, bool *failed, struct err *err)
{
	char path[PATH_MAX];
	struct attempt a;
	bool kept = false;

	trace_path(h, h->traces + 1, path, sizeof(path));
	int code = run_task(h, task, h->of.at[task->run], path, &a, err);

	if (!code)
		code = take_run(h, task, &a, path, failed, &kept, err);
	if (kept)
		h->traces++;
	else
		unlink(path);
	attempt_release(&a);
	return code;
}

static int hunt_paths(struct hunter *h, struct err *err)
{
	struct hunt_task task;
	bool failed = false;
	int got = 0;

	for (;;) {
		show_progress(h);
		if (is_over(h) || (failed && h->options->stop_at_failure))
			return 0;
		got = hunt_next(h->hunt, &task, err);
		if (got <= 0)
			break;
		int code = do_task(h, &task, &failed, err);

		hunt_task_release(&task);
		if (code < 0)
			return code;
	}
	return got;
}

/* Runs by chance, or all */

/* The next schedule: the last decision that could go further does. False: there is none. */
static bool next_schedule(struct hunter *h, const struct attempt *a)
{
	h->decisions.n = 0;
	for (size_t i = 0; i < a->decisions.n; i++)
		vec_push(&h->decisions, a->decisions.at[i]);
	while (h->decisions.n) {
		struct replay_decision *last = &h->decisions.at[h->decisions.n - 1];

		if (last->chosen + 1 < last->of) {
			last->chosen++;
			return true;
		}
		h->decisions.n--;
	}
	return false;
}

static int hunt_freely(struct hunter *h, struct err *err)
{
	static const enum plan_schedule schedules[] = {[STRATEGY_RANDOM] = PLAN_RANDOM,
						       [STRATEGY_PCT] = PLAN_PCT,
						       [STRATEGY_POS] = PLAN_POS,
						       [STRATEGY_ALL] = PLAN_LISTED};
	const struct hunter_options *o = h->options;
	bool all = o->strategy == STRATEGY_ALL, failed = false;
	int code = 0;

	for (uint64_t i = 0; !code && !is_over(h); i++) {
		struct attempt a;

		show_progress(h);
		code = run_freely(h, schedules[o->strategy], o->seed + i, false, &a, &failed, err);
		bool more = code || !all || next_schedule(h, &a);

		attempt_release(&a);
		if (failed && o->stop_at_failure)
			break;
		if (!more) {
			h->result->complete = true;
			break;
		}
	}
	h->result->behaviours = h->result->runs;
	return code;
}

/* The first run, without which there is nothing to ask about. */
static int begin(struct hunter *h, struct err *err)
{
	struct attempt a;
	bool failed;
	int code = run_freely(h, PLAN_STAY, h->options->seed, true, &a, &failed, err);

	if (!code && a.end == ATTEMPT_ENDLESS)
		code = err_set(err, ERR_LIMIT,
			       "%s: the first run does not end within %g seconds (--timeout)",
			       h->options->argv[0], h->options->timeout);
	attempt_release(&a);
	return code;
}

static int add_old(struct hunter *h, struct err *err)
{
	char path[PATH_MAX];
	enum hunt_result result;
	int code = 0;

	for (uint64_t i = 1; !code; i++) {
		trace_path(h, i, path, sizeof(path));
		if (access(path, R_OK) < 0)
			break;
		code = add_trace(h, path, NULL, &result, err);
		h->traces = i;
	}
	return code;
}

static void add_doubt(struct hunter_result *r, const char *reason, uint64_t count)
{
	char line[700];

	snprintf(line, sizeof(line), "%llu %s", (unsigned long long)count, reason);
	vec_push(&r->doubts, memcpy(mem_alloc(strlen(line) + 1), line, strlen(line) + 1));
}

static void conclude(struct hunter *h)
{
	struct hunter_result *r = h->result;
	struct hunt_doubt doubt;

	hunt_count(h->hunt, &r->counts);
	for (size_t i = 0; hunt_doubt(h->hunt, i, &doubt); i++)
		add_doubt(r, doubt.reason, doubt.count);
	r->complete = !r->doubts.n && !r->counts.waiting && !r->counts.undecided &&
		      !r->counts.given_up && !r->lost;
}

int hunter_hunt(const struct hunter_options *o, struct hunter_result *result, struct err *err)
{
	struct hunter h = {.options = o, .result = result};
	struct hunt_options options = {.equal = o->equal, .budget = o->budget};

	*result = (struct hunter_result){0};
	int code = attempt_command_new(&h.command, o->recorder, o->argv, err);

	if (!code && o->strategy == STRATEGY_PATHS) {
		h.hunt = hunt_new(&options);
		if (o->resume)
			code = add_old(&h, err);
		if (!code && !h.of.n)
			code = begin(&h, err);
		if (!code)
			code = hunt_paths(&h, err);
		conclude(&h);
		hunt_free(h.hunt);
	} else if (!code) {
		code = hunt_freely(&h, err);
	}
	for (size_t i = 0; i < h.of.n; i++)
		mem_free(h.of.at[i]);
	vec_release(&h.of);
	vec_release(&h.decisions);
	attempt_command_release(&h.command);
	return code;
}

void hunter_result_release(struct hunter_result *result)
{
	for (size_t i = 0; i < result->doubts.n; i++)
		mem_free(result->doubts.at[i]);
	vec_release(&result->doubts);
}
