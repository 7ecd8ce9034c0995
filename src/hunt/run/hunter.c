/* SPDX-License-Identifier: MIT */
#include "hunt/run/hunter.h"

#include "base/log.h"
#include "base/seconds.h"
#include "hunt/run/crew.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PCT_DEPTH 3
#define AT_ONCE 32 /* runs that are asked for before the first of them is looked at, at most */

/* A run that is under way. */
struct under_way {
	struct hunt_task task; /* not if it is made by chance */
	struct crew_run run;
};

struct hunter {
	const struct hunter_options *options;
	struct hunter_result *result;
	struct hunt *hunt;
	struct attempt_command command;	       /* of the first run */
	uint64_t traces;		       /* that have a name */
	VEC(char *) of;			       /* the trace of each run of the hunt */
	uint32_t length;		       /* steps of the first run */
	VEC(struct replay_decision) decisions; /* STRATEGY_ALL: of the next run */
	struct crew *crew;
	struct under_way *at; /* AT_ONCE */
	uint32_t under_way;
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
						 uint64_t seed, uint32_t length)
{
	const struct hunter_options *o = h->options;

	return (struct attempt_options){.schedule = s,
					.seed = seed,
					.depth = PCT_DEPTH,
					.length = length ? length : 100,
					.prints = o->prints,
					.timeout = o->timeout,
					.scratch = o->scratch,
					.decisions = h->decisions.at,
					.decision_count = (uint32_t)h->decisions.n,
					.scanner = o->scanner};
}

/* Its failure, and what others say to it. */
static int look_at(struct hunter *h, struct attempt *a, const char *trace, const char *choice,
		   bool is_new, bool *failed, struct err *err)
{
	struct failure failure;
	struct hunter_run run = {.trace = trace,
				 .number = h->traces + 1,
				 .runs = h->result->runs,
				 .is_new = is_new,
				 .choice = choice,
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

static void count_runs(struct hunter *h, const struct attempt *a, uint32_t runs)
{
	h->result->runs += runs;
	h->result->lost += a->lost > 0;
	h->result->endless += a->end == ATTEMPT_ENDLESS;
	if (!h->length)
		h->length = a->steps;
}

/*
 * What a run from the start came to. `keeps`: what it did is of interest, even if it did not fail.
 */
static int take_free(struct hunter *h, struct attempt *a, const char *path, bool keeps,
		     bool *failed, struct err *err)
{
	enum hunt_result result = HUNT_NEW;
	int code = 0;

	*failed = false;
	if (a->end == ATTEMPT_STOPPED)
		return 0;
	count_runs(h, a, 1);
	if (a->end == ATTEMPT_UNHEARD)
		return unheard(h, err);
	if (a->end == ATTEMPT_DIVERGED)
		return err_set(err, ERR_INTERNAL, "a run without a plan: %s", a->why);
	if (h->hunt && a->end != ATTEMPT_ENDLESS)
		code = add_trace(h, path, NULL, &result, err);
	if (code < 0)
		return code;
	code = look_at(h, a, path, "", result == HUNT_NEW, failed, err);
	if ((keeps || *failed) && result != HUNT_KNOWN)
		h->traces++;
	else
		unlink(path);
	return code;
}

static int run_freely(struct hunter *h, enum plan_schedule schedule, bool keeps, struct attempt *a,
		      bool *failed, struct err *err)
{
	struct attempt_options options =
		attempt_options_of(h, schedule, h->options->seed, h->length);
	char path[PATH_MAX];

	*failed = false;
	trace_path(h, h->traces + 1, path, sizeof(path));
	int code = attempt_run(a, NULL, (struct attempt_first){.thread = PLAN_NONE}, &h->command,
			       &options, path, err);

	return code < 0 ? code : take_free(h, a, path, keeps, failed, err);
}

/* Runs that are made at the same time. How many, and which, does not depend on who makes them. */

/* Few while there is little to ask about. */
static uint32_t most_at_once(const struct hunter *h)
{
	const struct hunter_options *o = h->options;
	uint64_t most = 1 + (h->hunt ? h->result->behaviours : h->result->runs) / 4;

	if (o->runs && most > o->runs - h->result->runs)
		most = o->runs - h->result->runs;
	return most < AT_ONCE ? (uint32_t)most : AT_ONCE;
}

/* The trace gets its name when it is known whether it is kept. */
static int begin_run(struct hunter *h, struct crew_run run, struct err *err)
{
	struct under_way *u = &h->at[h->under_way];

	u->run = run;
	u->run.length = h->length ? h->length : 100;
	snprintf(u->run.path, sizeof(u->run.path), "%s/%u.new", h->options->directory,
		 h->under_way + 1);
	h->under_way++;
	return crew_begin(h->crew, &u->run, err);
}

static int name_trace(struct hunter *h, const struct under_way *u, char *path, size_t room,
		      struct err *err)
{
	trace_path(h, h->traces + 1, path, room);
	if (u->run.attempt.end >= ATTEMPT_DIVERGED || rename(u->run.path, path) == 0)
		return 0;
	return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
}

/* Runs that the engines ask for */

static int begin_tasks(struct hunter *h, struct err *err)
{
	uint32_t most = most_at_once(h);
	int code = 0;

	while (!code && h->under_way < most && !is_over(h)) {
		struct hunt_task *task = &h->at[h->under_way].task;
		int got = hunt_next(h->hunt, task, err);

		if (got <= 0)
			return got;
		code = begin_run(h,
				 (struct crew_run){.task = task,
						   .from = h->of.at[task->run],
						   .schedule = PLAN_STAY,
						   .seed = h->options->seed},
				 err);
		show_progress(h);
	}
	return code;
}

/* It has come to nothing that could be asked about. */
static bool is_left_open(struct hunter *h, const struct under_way *u)
{
	const struct attempt *a = &u->run.attempt;

	if (u->run.end == CREW_LOST)
		hunt_open(h->hunt, &u->task, "the processes that made a run were ended");
	else if (a->end == ATTEMPT_STOPPED)
		hunt_open(h->hunt, &u->task, "interrupted");
	else if (a->end == ATTEMPT_ENDLESS)
		hunt_open(h->hunt, &u->task, "may not end");
	else if (a->end == ATTEMPT_DIVERGED)
		hunt_open(h->hunt, &u->task, "diverged");
	else
		return false;
	h->result->diverged += u->run.end != CREW_LOST && a->end == ATTEMPT_DIVERGED;
	return true;
}

/* What the run of a task came to. */
static int take_run(struct hunter *h, struct under_way *u, const char *path, bool *failed,
		    bool *kept, struct err *err)
{
	const struct hunt_task *task = &u->task;
	struct attempt *a = &u->run.attempt;
	enum hunt_result result;

	LOG(LOG_HUNT, 1, "run %u, event %u: %s; first T%u: end %d, %u steps %s", task->run + 1,
	    task->event, u->run.choice, task->thread, (int)a->end, a->steps, a->why);
	if (a->end == ATTEMPT_UNHEARD)
		return unheard(h, err);
	if (is_left_open(h, u))
		return 0;
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
	code = look_at(h, a, path, u->run.choice, result == HUNT_NEW, failed, err);
	*kept = h->of.n > before || *failed;
	return code;
}

static int take_task(struct hunter *h, struct under_way *u, bool *failed, struct err *err)
{
	char path[PATH_MAX];
	bool kept = false;

	if (u->run.end == CREW_LEFT) {
		hunt_put_back(h->hunt, &u->task);
		return 0;
	}
	if (u->run.code < 0) {
		*err = u->run.err;
		return u->run.code;
	}
	if (u->run.times)
		count_runs(h, &u->run.attempt, u->run.times);
	int code = name_trace(h, u, path, sizeof(path), err);

	if (!code)
		code = take_run(h, u, path, failed, &kept, err);
	if (kept)
		h->traces++;
	else
		unlink(path);
	return code;
}

/* One after the other, as they were begun. */
static int take_all(struct hunter *h,
		    int (*take)(struct hunter *, struct under_way *, bool *, struct err *),
		    bool *failed, struct err *err)
{
	int code = crew_wait(h->crew, err);

	for (uint32_t i = 0; i < h->under_way; i++) {
		struct under_way *u = &h->at[i];

		if (code >= 0 && !(*failed && h->options->stop_at_failure))
			code = take(h, u, failed, err);
		unlink(u->run.path);
		crew_run_release(&u->run);
		if (u->run.task)
			hunt_task_release(&u->task);
	}
	h->under_way = 0;
	return code;
}

static int hunt_paths(struct hunter *h, struct err *err)
{
	bool failed = false;
	int code = 0;

	while (code >= 0 && !is_over(h) && !(failed && h->options->stop_at_failure)) {
		show_progress(h);
		code = begin_tasks(h, err);
		if (!h->under_way)
			break;
		int taken = take_all(h, take_task, &failed, err);

		code = code < 0 ? code : taken;
	}
	is_over(h); /* which may be why nothing is asked any more */
	return code;
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

static int hunt_all(struct hunter *h, struct err *err)
{
	bool failed = false, more = true;
	int code = 0;

	while (!code && more && !is_over(h) && !(failed && h->options->stop_at_failure)) {
		struct attempt a;

		show_progress(h);
		code = run_freely(h, PLAN_LISTED, false, &a, &failed, err);
		more = code || next_schedule(h, &a);
		attempt_release(&a);
	}
	h->result->complete = !more;
	return code;
}

static int take_by_chance(struct hunter *h, struct under_way *u, bool *failed, struct err *err)
{
	char path[PATH_MAX];

	if (u->run.end != CREW_MADE)
		return u->run.end == CREW_LEFT
			       ? 0
			       : err_set(err, ERR_INTERNAL,
					 "the processes that made a run were ended");
	if (u->run.code < 0) {
		*err = u->run.err;
		return u->run.code;
	}
	int code = name_trace(h, u, path, sizeof(path), err);

	return code < 0 ? code : take_free(h, &u->run.attempt, path, false, failed, err);
}

static int hunt_by_chance(struct hunter *h, struct err *err)
{
	static const enum plan_schedule schedules[] = {[STRATEGY_RANDOM] = PLAN_RANDOM,
						       [STRATEGY_PCT] = PLAN_PCT,
						       [STRATEGY_POS] = PLAN_POS};
	uint64_t seed = h->options->seed;
	bool failed = false;
	int code = 0;

	while (!code && !is_over(h) && !(failed && h->options->stop_at_failure)) {
		uint32_t most = most_at_once(h);

		show_progress(h);
		while (!code && h->under_way < most)
			code = begin_run(
				h,
				(struct crew_run){.schedule = schedules[h->options->strategy],
						  .seed = seed++},
				err);
		int taken = take_all(h, take_by_chance, &failed, err);

		code = code < 0 ? code : taken;
	}
	return code;
}

/* The first run, without which there is nothing to ask about. */
static int begin(struct hunter *h, struct err *err)
{
	struct attempt a;
	bool failed;
	int code = run_freely(h, PLAN_STAY, true, &a, &failed, err);

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

static int hunt_by_questions(struct hunter *h, struct err *err)
{
	struct hunt_options options = {.equal = h->options->equal, .budget = h->options->budget};
	int code = 0;

	h->hunt = hunt_new(&options);
	if (h->options->resume)
		code = add_old(h, err);
	if (!code && !h->of.n)
		code = begin(h, err);
	if (!code)
		code = hunt_paths(h, err);
	conclude(h);
	hunt_free(h->hunt);
	return code;
}

static int begin_crew(struct hunter *h, struct err *err)
{
	struct crew_options options = {.jobs = h->options->jobs,
				       .command = &h->command,
				       .attempt = attempt_options_of(h, PLAN_STAY, 0, 0),
				       .deadline = h->options->deadline,
				       .stop = h->options->stop};

	h->crew = crew_new(&options, err);
	h->at = mem_alloc_zero(AT_ONCE, sizeof(*h->at));
	return h->crew ? 0 : err->code;
}

int hunter_hunt(const struct hunter_options *o, struct hunter_result *result, struct err *err)
{
	struct hunter h = {.options = o, .result = result};

	*result = (struct hunter_result){0};
	int code = attempt_command_new(&h.command, o->recorder, o->argv, err);

	if (!code)
		code = begin_crew(&h, err);
	if (!code && o->strategy == STRATEGY_PATHS)
		code = hunt_by_questions(&h, err);
	else if (!code && o->strategy == STRATEGY_ALL)
		code = hunt_all(&h, err);
	else if (!code)
		code = hunt_by_chance(&h, err);
	if (o->strategy != STRATEGY_PATHS)
		result->behaviours = result->runs;
	crew_free(h.crew);
	mem_free(h.at);
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
