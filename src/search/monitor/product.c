/* SPDX-License-Identifier: MIT */
#include "search/monitor/product.h"

#include "base/log.h"
#include "base/seconds.h"
#include "search/explore/bugs.h"
#include "search/explore/persistent.h"
#include "search/explore/states.h"

#include <string.h>

/* What is looked for in one go through the states. */
enum goal {
	BREAKS,	 /* an event that breaks it, or the end of all threads */
	STUCK,	 /* a stuck state that may not be: signals may come early */
	COMPLETE /* model said: all events, and it is broken on the way or at the end */
};

struct product {
	const struct product_options *options;
	struct space *s;
	struct monitor *monitor;
	struct persistent *persistent; /* NULL: no reduction */
	struct states states;	       /* words of the space, then the monitor's state */
	enum goal goal;
	const bool *heard;
	uint32_t *last_heard;  /* of each thread: 1 + the position of the last, or 0 */
	VEC(uint32_t) pending; /* the last that was found comes first */
	double deadline;
	uint32_t found; /* state, or STATES_NONE */
	bool by_event;	/* its last event breaks it */
};

static uint32_t monitor_at(const struct product *x, const uint64_t *record)
{
	return (uint32_t)record[x->s->words];
}

static bool all_ended(const struct product *x, const uint64_t *state)
{
	for (uint32_t t = 0; t < x->s->index->thread_count; t++)
		if (!space_ended(x->s, state, t))
			return false;
	return true;
}

/* Will anything be heard after this? */
static bool is_silent_from(const struct product *x, const uint64_t *state)
{
	for (uint32_t t = 0; t < x->s->index->thread_count; t++)
		if (x->last_heard[t] > field_get(state, x->s->threads[t].position) &&
		    !field_get(state, x->s->threads[t].stopped))
			return false;
	return true;
}

/* Is this what is looked for, but for what the last event breaks? */
static int is_goal(struct product *x, const uint64_t *state, bool *goal, struct err *err)
{
	uint32_t m = monitor_at(x, state);

	*goal = false;
	if (x->goal == STUCK)
		return bugs_is_stuck(x->s, state) ? monitor_if_stuck(x->monitor, m, goal, err) : 0;
	if (x->goal == COMPLETE && !space_complete(x->s, state))
		return 0;
	if (x->goal == COMPLETE && m == MONITOR_BAD)
		*goal = true;
	else if (all_ended(x, state))
		return monitor_if_ended(x->monitor, m, goal, err);
	return 0;
}

/* From here what is looked for cannot be reached. */
static int is_hopeless(struct product *x, const uint64_t *state, bool *hopeless, struct err *err)
{
	uint32_t m = monitor_at(x, state);
	int code = 0;

	*hopeless = m == MONITOR_DEAD || (m == MONITOR_BAD && x->goal == STUCK);
	if (x->goal == BREAKS && !*hopeless && is_silent_from(x, state)) {
		code = monitor_if_ended(x->monitor, m, hopeless, err);
		*hopeless = !*hopeless;
	}
	for (uint32_t t = 0; x->goal == STUCK && t < x->s->index->thread_count; t++)
		*hopeless = *hopeless || space_lost(x->s, state, t);
	return code;
}

static int add_state(struct product *x, const uint64_t *record, uint32_t parent, uint32_t event,
		     struct err *err)
{
	size_t before = x->states.n;
	uint32_t number;
	bool goal = false, hopeless = false;
	int code = states_add(&x->states, record, parent, event, &number, err);

	if (code || x->states.n == before)
		return code;
	if (x->goal == BREAKS && monitor_at(x, record) == MONITOR_BAD)
		goal = x->by_event = true;
	else
		code = is_goal(x, record, &goal, err);
	if (!code && goal)
		x->found = number;
	if (!code && !goal)
		code = is_hopeless(x, record, &hopeless, err);
	if (!code && !goal && !hopeless)
		vec_push(&x->pending, number);
	return code;
}

static int take_step(struct product *x, uint32_t state, uint32_t thread, uint64_t *record,
		     struct err *err)
{
	const uint64_t *from = states_record(&x->states, state);
	uint32_t event = space_next(x->s, from, thread), m;

	memcpy(record, from, x->states.words * sizeof(*record));
	if (!space_step(x->s, record, thread))
		return 0;
	if (monitor_after(x->monitor, monitor_at(x, record), event, &m, err) < 0)
		return err->code;
	record[x->s->words] = m;
	return add_state(x, record, state, event, err);
}

static int expand(struct product *x, uint32_t state, uint64_t *record, struct err *err)
{
	const bool *tried =
		x->persistent ? persistent_choose(x->persistent, states_record(&x->states, state))
			      : NULL;
	int code = 0;

	for (uint32_t t = 0; t < x->s->index->thread_count && !code && x->found == STATES_NONE; t++)
		if ((!tried || tried[t]) && space_can(x->s, states_record(&x->states, state), t))
			code = take_step(x, state, t, record, err);
	return code;
}

static int search(struct product *x, struct err *err)
{
	uint64_t *record = mem_alloc_zero(x->states.words, sizeof(*record));
	int code;

	space_start(x->s, record);
	record[x->s->words] = monitor_start(x->monitor);
	code = add_state(x, record, STATES_NONE, 0, err);
	for (uint32_t i = 0; !code && x->pending.n && x->found == STATES_NONE; i++) {
		if (i % 256 == 0 && budget_ended(&x->options->budget, x->deadline))
			code = err_set(err, ERR_LIMIT,
				       "the time limit was reached after %zu states", x->states.n);
		else
			code = expand(x, x->pending.at[--x->pending.n], record, err);
	}
	mem_free(record);
	return code;
}

static void put_run(const struct product *x, struct witness *w)
{
	bool broken = monitor_start(x->monitor) == MONITOR_BAD; /* before the first event */
	size_t length = 0, bad = 0;

	w->model = x->s->model;
	w->bug = BUG_PROPERTY;
	w->monitor = x->monitor;
	for (uint32_t i = x->found; i; i = x->states.parent[i])
		length++;
	vec_extend(&w->run, length);
	for (uint32_t i = x->found, k = (uint32_t)length; i; i = x->states.parent[i]) {
		w->run.at[--k] = x->states.event[i];
		if (!broken && monitor_at(x, states_record(&x->states, i)) == MONITOR_BAD)
			bad = k + 1;
	}
	/* said: what is behind the event that breaks it */
	for (size_t i = bad; x->goal == COMPLETE && (bad || broken) && i < length; i++)
		vec_push(&w->rest, w->run.at[i]);
	if (bad || broken)
		w->run.n = bad;
	if (bad)
		vec_push(&w->bug_events, w->run.at[bad - 1]);
}

static void find_heard(struct product *x, bool *heard)
{
	const struct index *index = x->s->index;

	x->heard = heard;
	x->last_heard = mem_alloc_zero(index->thread_count + 1, sizeof(*x->last_heard));
	for (uint32_t n = 1; n <= index->count; n++)
		if ((heard[n] = monitor_hears(x->monitor, n)))
			x->last_heard[index->events[n].thread] = index->position[n] + 1;
}

static int search_for(const struct index *index, enum model model, struct monitor *monitor,
		      enum goal goal, const struct product_options *options, struct witness *w,
		      bool *found, struct err *err)
{
	struct product x = {.options = options, .monitor = monitor, .goal = goal};
	bool *heard = mem_alloc_zero((size_t)index->count + 1, sizeof(*heard));
	const struct explore_limits limits = {.states = options->states,
					      .bytes = options->budget.bytes};
	double seconds = options->budget.seconds;

	x.s = space_new(index, model, goal == STUCK);
	x.found = STATES_NONE;
	x.deadline = seconds > 0 ? seconds_spent() + seconds : 0;
	find_heard(&x, heard);
	/* said is about all events, and steps may fail */
	if (!options->all && goal != COMPLETE)
		x.persistent = persistent_new(x.s, heard);
	states_init(&x.states, x.s->words + 1, &limits);
	int code = search(&x, err);

	LOG(LOG_EXPLORE, 1, "property: %zu states, %u of the monitor%s", (size_t)x.states.n,
	    monitor_states(monitor), code < 0 ? ", not all" : "");
	*found = !code && x.found != STATES_NONE;
	if (*found)
		put_run(&x, w);
	vec_release(&x.pending);
	states_release(&x.states);
	persistent_free(x.persistent);
	space_free(x.s);
	mem_free(x.last_heard);
	mem_free(heard);
	return code;
}

enum answer product_search(const struct index *index, enum model model, struct monitor *monitor,
			   const struct product_options *options, struct witness *w,
			   struct err *why)
{
	bool found = false;
	int code = search_for(index, model, monitor, model == MODEL_SAID ? COMPLETE : BREAKS,
			      options, w, &found, why);

	/* in said nothing is stuck */
	if (!code && !found && model != MODEL_SAID && monitor_minds_stuck(monitor))
		code = search_for(index, model, monitor, STUCK, options, w, &found, why);
	return code < 0 ? UNDECIDED : found ? PROVED : REFUTED;
}
