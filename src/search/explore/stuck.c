/* SPDX-License-Identifier: MIT */
#include "search/explore/stuck.h"

#include "base/sorted.h"
#include "base/log.h"
#include "search/explore/bugs.h"
#include "search/explore/persistent.h"
#include "search/explore/states.h"

#include <stdlib.h>
#include <string.h>

/* States to look at that have so many threads waiting. */
struct pending_states {
	VEC(uint32_t) at;
};

struct stuck_search {
	const struct stuck_options *options;
	struct space *s;
	struct persistent *persistent;
	struct states states;
	struct intern sets;    /* of the events that threads wait at, numbered as found */
	VEC(uint32_t) waiting; /* scratch */
	/*
	 * By the number of threads that wait, up to all. If one stuck state is enough, those with
	 * most come first, and of these the last that was found; else the order is that in
	 * which they were found, and executions are as short as can be.
	 */
	struct pending_states *pending;
	uint32_t next; /* of those in order */
	struct stuck_result *result;
};

/* From here no state can be reached that is wanted. */
static bool is_hopeless(const struct stuck_search *x, const uint64_t *state)
{
	for (uint32_t t = 0; t < x->s->index->thread_count; t++)
		if (space_lost(x->s, state, t))
			return true;
	for (uint32_t i = 0; i < x->options->count; i++)
		if (space_done(x->s, state, x->options->events[i]))
			return true;
	return false;
}

static bool is_waiting(const struct stuck_search *x, uint32_t event)
{
	for (size_t i = 0; i < x->waiting.n; i++)
		if (x->waiting.at[i] == event)
			return true;
	return false;
}

/* Which events threads wait at in a stuck state, ascending; false: not those that are wanted. */
static bool gather_waiting(struct stuck_search *x, const uint64_t *state)
{
	x->waiting.n = 0;
	for (uint32_t t = 0; t < x->s->index->thread_count; t++)
		if (space_waits(x->s, state, t))
			vec_push(&x->waiting, space_next(x->s, state, t));
	qsort(x->waiting.at, x->waiting.n, sizeof(*x->waiting.at), sorted_compare_u32);
	for (uint32_t i = 0; i < x->options->count; i++)
		if (!is_waiting(x, x->options->events[i]))
			return false;
	return true;
}

static void keep_found(struct stuck_search *x, uint32_t state)
{
	struct explore_finding f = {.witness = {.model = x->s->model, .bug = BUG_STUCK}};
	struct witness *w = &f.witness;
	size_t before = x->sets.strings.n, length = 0;

	intern_add(&x->sets, (const char *)x->waiting.at, x->waiting.n * sizeof(*x->waiting.at));
	if (x->sets.strings.n == before)
		return;
	for (size_t i = 0; i < x->waiting.n; i++)
		vec_push(&w->bug_events, x->waiting.at[i]);
	for (uint32_t i = state; i; i = x->states.parent[i])
		length++;
	vec_extend(&w->run, length);
	for (uint32_t i = state; i; i = x->states.parent[i])
		w->run.at[--length] = x->states.event[i];
	vec_push(&x->result->found, f);
}

static uint32_t count_waiting(const struct stuck_search *x, const uint64_t *state)
{
	uint32_t count = 0;

	for (uint32_t t = 0; t < x->s->index->thread_count; t++)
		count += space_waits(x->s, state, t);
	return count;
}

static int add_state(struct stuck_search *x, const uint64_t *record, uint32_t parent,
		     uint32_t event, struct err *err)
{
	size_t before = x->states.n;
	uint32_t number;
	int status = states_add(&x->states, record, parent, event, &number, err);

	if (!status && x->states.n > before && x->options->first)
		vec_push(&x->pending[count_waiting(x, record)].at, number);
	return status;
}

static bool take_state(struct stuck_search *x, uint32_t *state)
{
	if (!x->options->first) {
		*state = x->next++;
		return *state < x->states.n;
	}
	for (uint32_t waiting = x->s->index->thread_count + 1; waiting--;) {
		struct pending_states *pending = &x->pending[waiting];

		if (!pending->at.n)
			continue;
		*state = pending->at.at[--pending->at.n];
		return true;
	}
	return false;
}

static int expand(struct stuck_search *x, uint32_t state, uint64_t *record, struct err *err)
{
	const bool *tried =
		x->persistent ? persistent_choose(x->persistent, states_record(&x->states, state))
			      : NULL;
	int status = 0;

	for (uint32_t t = 0; t < x->s->index->thread_count && !status; t++) {
		const uint64_t *from = states_record(&x->states, state);

		if ((tried && !tried[t]) || !space_can(x->s, from, t))
			continue;
		memcpy(record, from, x->states.words * sizeof(*record));
		space_step(x->s, record, t);
		if (!x->persistent || !is_hopeless(x, record))
			status = add_state(x, record, state, space_next(x->s, from, t), err);
	}
	return status;
}

static int search(struct stuck_search *x, struct err *err)
{
	uint64_t *record = mem_alloc(x->states.words * sizeof(*record));
	uint32_t i;
	int status;

	space_start(x->s, record);
	status = add_state(x, record, STATES_NONE, 0, err);
	while (!status && !(x->options->first && x->result->found.n) && take_state(x, &i)) {
		const uint64_t *state = states_record(&x->states, i);

		if (!bugs_is_stuck(x->s, state))
			status = expand(x, i, record, err);
		else if (gather_waiting(x, state))
			keep_found(x, i);
	}
	mem_free(record);
	return status;
}

static int compare_findings(const void *a, const void *b)
{
	const struct witness *x = &((const struct explore_finding *)a)->witness;
	const struct witness *y = &((const struct explore_finding *)b)->witness;

	for (size_t i = 0; i < x->bug_events.n && i < y->bug_events.n; i++)
		if (x->bug_events.at[i] != y->bug_events.at[i])
			return x->bug_events.at[i] < y->bug_events.at[i] ? -1 : 1;
	return x->bug_events.n < y->bug_events.n ? -1 : x->bug_events.n > y->bug_events.n;
}

int stuck_explore(const struct index *index, enum model model, const struct stuck_options *options,
		  struct stuck_result *result, struct err *err)
{
	struct stuck_search x = {.options = options, .result = result};

	memset(result, 0, sizeof(*result));
	if (model == MODEL_SAID)
		return 0; /* its executions can all be completed */
	x.s = space_new(index, model, true);
	x.persistent = options->all ? NULL : persistent_new(x.s, NULL);
	x.pending = mem_alloc_zero((size_t)index->thread_count + 1, sizeof(*x.pending));
	states_init(&x.states, x.s->words, &options->limits);
	int status = search(&x, err);

	result->states = x.states.n;
	LOG(LOG_EXPLORE, 1, "model %s: %zu states%s, %zu stuck", model_text[model],
	    (size_t)x.states.n, status < 0 ? ", not all" : "", result->found.n);
	if (status < 0)
		stuck_result_release(result);
	else if (result->found.n)
		qsort(result->found.at, result->found.n, sizeof(*result->found.at),
		      compare_findings);
	for (uint32_t i = 0; i <= index->thread_count; i++)
		vec_release(&x.pending[i].at);
	mem_free(x.pending);
	vec_release(&x.waiting);
	intern_release(&x.sets);
	states_release(&x.states);
	persistent_free(x.persistent);
	space_free(x.s);
	return status;
}

void stuck_result_release(struct stuck_result *result)
{
	for (size_t i = 0; i < result->found.n; i++)
		witness_release(&result->found.at[i].witness);
	vec_release(&result->found);
}
