/* SPDX-License-Identifier: MIT */
#include "search/explore/explore.h"

#include "base/sorted.h"
#include "base/log.h"
#include "model/regions.h"
#include "search/explore/bugs.h"
#include "search/explore/chain.h"
#include "search/explore/states.h"
#include "search/explore/stuck.h"

#include <stdlib.h>
#include <string.h>

struct found {
	uint32_t *key;	  /* its events, ascending */
	uint32_t *events; /* as the witness has them */
	uint32_t count;
	uint32_t state;
};

struct found_list {
	VEC(struct found) list; /* ascending by key, each key once */
};

struct explorer {
	struct space *s;
	struct states states;
	bool *alive;	  /* model said: the trace can be completed from this state; else NULL */
	uint64_t *record; /* scratch */
	uint32_t state;	  /* the one that is looked at */
	struct found_list found[BUG_COUNT];
	VEC(uint32_t) key; /* scratch */
	struct arena memory;
};

/* Model said: the state after the event if that is alive, or STATES_NONE. */
static uint32_t alive_after(struct explorer *x, uint32_t state, uint32_t event)
{
	const uint64_t *from = states_record(&x->states, state);
	uint32_t thread = x->s->index->events[event].thread;

	if (!event || space_next(x->s, from, thread) != event || !space_can(x->s, from, thread))
		return STATES_NONE;
	memcpy(x->record, from, x->states.words * sizeof(*x->record));
	if (!space_step(x->s, x->record, thread))
		return STATES_NONE;
	uint32_t next = states_find(&x->states, x->record);

	return x->alive[next] ? next : STATES_NONE;
}

/* The same of the first event that leads to such a state. */
static uint32_t any_alive_after(struct explorer *x, uint32_t state, uint32_t *event)
{
	for (uint32_t t = 0; t < x->s->index->thread_count; t++) {
		*event = space_next(x->s, states_record(&x->states, state), t);
		uint32_t next = alive_after(x, state, *event);

		if (next != STATES_NONE)
			return next;
	}
	return STATES_NONE;
}

/* From the last state back: a state is alive if it is complete or has a successor that is. */
static void mark_alive(struct explorer *x)
{
	uint32_t event = 0;

	x->record = mem_alloc(x->states.words * sizeof(*x->record));
	x->alive = mem_alloc_zero(x->states.n, sizeof(*x->alive));
	for (uint32_t i = (uint32_t)x->states.n; i-- > 0;)
		x->alive[i] = space_complete(x->s, states_record(&x->states, i)) ||
			      any_alive_after(x, i, &event) != STATES_NONE;
}

/*
 * In model said two accesses race if one can follow the other directly in an execution of
 * the whole trace: that both are next is not enough when a read must keep its value.
 */
static uint32_t alive_after_both(struct explorer *x, uint32_t state, uint32_t a, uint32_t b)
{
	uint32_t next = alive_after(x, state, a);

	return next == STATES_NONE ? STATES_NONE : alive_after(x, next, b);
}

static int start(struct explorer *x, const struct index *index, enum model model, bool all_states,
		 const struct explore_limits *limits, struct err *err)
{
	memset(x, 0, sizeof(*x));
	x->s = space_new(index, model, false);
	states_init(&x->states, x->s->words, limits);
	int status = all_states ? states_explore(&x->states, x->s, err) : 0;

	if (!status && model == MODEL_SAID)
		mark_alive(x);
	return status;
}

static void finish(struct explorer *x)
{
	for (int kind = 0; kind < BUG_COUNT; kind++)
		vec_release(&x->found[kind].list);
	vec_release(&x->key);
	mem_free(x->alive);
	mem_free(x->record);
	states_release(&x->states);
	space_free(x->s);
	arena_release(&x->memory);
}

static int compare_keys(const struct found *f, const uint32_t *key, uint32_t n)
{
	for (uint32_t i = 0; i < f->count && i < n; i++)
		if (f->key[i] != key[i])
			return f->key[i] < key[i] ? -1 : 1;
	return f->count < n ? -1 : f->count > n;
}

/* Keeps the first of each kind and key; states come shortest execution first. */
static void keep_found(void *context, enum bug_kind kind, const uint32_t *events, uint32_t n)
{
	struct explorer *x = context;
	struct found_list *found = &x->found[kind];
	size_t low = 0, high = found->list.n;

	if (x->alive && bug_facts[kind].adjacent &&
	    alive_after_both(x, x->state, events[0], events[1]) == STATES_NONE &&
	    alive_after_both(x, x->state, events[1], events[0]) == STATES_NONE)
		return;
	x->key.n = 0;
	for (uint32_t i = 0; i < n; i++)
		vec_push(&x->key, events[i]);
	if (n)
		qsort(x->key.at, n, sizeof(*x->key.at), sorted_compare_u32);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_keys(&found->list.at[middle], x->key.at, n);

		if (!order)
			return;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	LOG(LOG_EXPLORE, 2, "state %u of %zu: %s", x->state, (size_t)x->states.n,
	    bug_kind_text[kind]);
	struct found new = {
		.key = arena_copy(&x->memory, x->key.at, n * sizeof(*events)),
		.events = arena_copy(&x->memory, events, n * sizeof(*events)),
		.count = n,
		.state = x->state,
	};

	vec_push(&found->list, new);
	memmove(found->list.at + low + 1, found->list.at + low,
		(found->list.n - 1 - low) * sizeof(new));
	found->list.at[low] = new;
}

/* How a said execution goes on until every event has happened; of a race, by its events. */
static void put_rest(struct explorer *x, const struct found *found, struct witness *w)
{
	uint32_t state = found->state, event = 0;

	if (bug_facts[w->bug].adjacent) {
		uint32_t a = found->events[0], b = found->events[1];

		if (alive_after_both(x, state, a, b) == STATES_NONE) {
			a = found->events[1];
			b = found->events[0];
		}
		state = alive_after_both(x, state, a, b);
		vec_push(&w->rest, a);
		vec_push(&w->rest, b);
	}
	while (!space_complete(x->s, states_record(&x->states, state))) {
		state = any_alive_after(x, state, &event);
		vec_push(&w->rest, event);
	}
}

static struct explore_finding make_finding(struct explorer *x, enum bug_kind kind, size_t number)
{
	const struct found *found = &x->found[kind].list.at[number];
	struct explore_finding f = {.witness = {.model = x->s->model, .bug = kind}};
	struct witness *w = &f.witness;
	size_t length = 0;

	for (uint32_t i = 0; i < found->count; i++)
		vec_push(&w->bug_events, found->events[i]);
	for (uint32_t i = found->state; i; i = x->states.parent[i])
		length++;
	vec_extend(&w->run, length);
	for (uint32_t i = found->state; i; i = x->states.parent[i])
		w->run.at[--length] = x->states.event[i];
	if (x->alive)
		put_rest(x, found, w);
	return f;
}

/* It cannot go on; a said execution that is alive can until it is complete. */
static bool is_proper(const struct explorer *x, uint32_t state)
{
	const uint64_t *record = states_record(&x->states, state);

	if (x->alive)
		return space_complete(x->s, record);
	for (uint32_t t = 0; t < x->s->index->thread_count; t++)
		if (space_can(x->s, record, t))
			return false;
	return true;
}

static void look_at_states(struct explorer *x, struct explore_result *result)
{
	struct bugs bugs;

	bugs_init(&bugs, x->s, keep_found, x);
	result->states = x->states.n;
	for (x->state = 0; x->state < x->states.n; x->state++) {
		uint64_t paths = x->states.paths[x->state];

		if (x->alive && !x->alive[x->state])
			continue;
		result->executions = add_saturated(result->executions, paths);
		if (is_proper(x, x->state))
			result->proper = add_saturated(result->proper, paths);
		bugs_find(&bugs, states_record(&x->states, x->state));
	}
	bugs_release(&bugs);
}

static int find_stuck(const struct index *index, enum model model,
		      const struct explore_limits *limits, struct explore_result *result,
		      struct err *err)
{
	struct stuck_options options = {.limits = *limits};
	struct stuck_result stuck;
	int status = stuck_explore(index, model, &options, &stuck, err);

	for (size_t i = 0; i < stuck.found.n; i++)
		vec_push(&result->bugs[BUG_STUCK], stuck.found.at[i]);
	vec_release(&stuck.found); /* the witnesses live on */
	return status;
}

static int find_violation(const struct index *index, enum model model,
			  const struct explore_limits *limits, const uint32_t *events,
			  struct explore_result *result, struct err *err)
{
	struct explore_finding f = {0};
	bool found;

	if (!regions_violated(index, events[0], events[1], events[2]))
		return 0;
	int status = chain_explore(index, model, limits, events, 3, &f.witness, &found, err);

	f.witness.bug = BUG_ATOMICITY;
	if (!status && found)
		vec_push(&result->bugs[BUG_ATOMICITY], f);
	return status;
}

/* The remote accesses between two accesses of one thread. */
static int find_remote(const struct index *index, enum model model,
		       const struct explore_limits *limits, uint32_t first, uint32_t last,
		       struct explore_result *result, struct err *err)
{
	int status = 0;

	for (uint32_t n = 1; n <= index->count && !status; n++)
		if (regions_unserialisable(index, first, n, last))
			status = find_violation(index, model, limits, (uint32_t[]){first, n, last},
						result, err);
	return status;
}

static int find_violations(const struct index *index, enum model model,
			   const struct explore_limits *limits, struct explore_result *result,
			   struct err *err)
{
	int status = 0;

	for (uint32_t n = 1; n <= index->count; n++) {
		const struct index_thread *t = &index->threads[index->events[n].thread];

		if (!event_is(&index->events[n], EV_ACCESS))
			continue;
		for (uint32_t p = index->position[n] + 1; p < t->count && !status; p++)
			if (event_is(&index->events[t->events[p]], EV_ACCESS) &&
			    regions_have(index, n, t->events[p]))
				status = find_remote(index, model, limits, n, t->events[p], result,
						     err);
	}
	return status;
}

int explore(const struct index *index, enum model model, const struct explore_limits *limits,
	    struct explore_result *result, struct err *err)
{
	struct explorer x;
	int status = start(&x, index, model, true, limits, err);

	memset(result, 0, sizeof(*result));
	if (!status) {
		look_at_states(&x, result);
		for (int bug = 0; bug < BUG_COUNT; bug++)
			for (size_t i = 0; i < x.found[bug].list.n; i++)
				vec_push(&result->bugs[bug], make_finding(&x, bug, i));
	}
	LOG(LOG_EXPLORE, 1, "model %s: %zu states%s, %zu races, %zu deadlocks", model_text[model],
	    (size_t)x.states.n, status < 0 ? ", not all" : "", result->bugs[BUG_RACE].n,
	    result->bugs[BUG_DEADLOCK].n);
	finish(&x);
	if (!status)
		status = find_stuck(index, model, limits, result, err);
	if (!status)
		status = find_violations(index, model, limits, result, err);
	if (status < 0) {
		explore_result_release(result);
		memset(result, 0, sizeof(*result));
	}
	return status;
}

struct lister {
	struct explorer x;
	uint64_t *records; /* the state at each depth */
	uint32_t *events;  /* that led from each depth to the next: what was tried last there */
};

/*
 * Takes the lowest event above the last tried one that leads on from this depth; false if
 * there is none.
 */
static bool descend(struct lister *l, uint32_t depth)
{
	struct explorer *x = &l->x;
	uint32_t words = x->s->words, last = l->events[depth];
	const uint64_t *from = l->records + (size_t)depth * words;
	uint64_t *to = l->records + (size_t)(depth + 1) * words;

	for (;;) {
		uint32_t best = 0;

		for (uint32_t t = 0; t < x->s->index->thread_count; t++) {
			uint32_t n = space_next(x->s, from, t);

			if (n > last && (!best || n < best) && space_can(x->s, from, t))
				best = n;
		}
		if (!best)
			return false;
		memcpy(to, from, words * sizeof(*to));
		if (space_step(x->s, to, x->s->index->events[best].thread) &&
		    (!x->alive || x->alive[states_find(&x->states, to)])) {
			l->events[depth] = best;
			return true;
		}
		last = best;
	}
}

int explore_list(const struct index *index, enum model model, const struct explore_limits *limits,
		 explore_visit *visit, void *context, struct err *err)
{
	struct lister l;
	uint32_t depth = 0;
	bool wanted = true;
	/* only said has executions that lead nowhere, and has to know them beforehand */
	int status = start(&l.x, index, model, model == MODEL_SAID, limits, err);

	if (status < 0) {
		finish(&l.x);
		return status;
	}
	l.records = mem_alloc(((size_t)index->count + 2) * l.x.s->words * sizeof(*l.records));
	l.events = mem_alloc_zero((size_t)index->count + 2, sizeof(*l.events));
	space_start(l.x.s, l.records);
	while (wanted) {
		if (descend(&l, depth)) {
			l.events[++depth] = 0;
			continue;
		}
		if (!l.events[depth])
			wanted = visit(context, l.events, depth);
		if (!depth--)
			break;
	}
	mem_free(l.records);
	mem_free(l.events);
	finish(&l.x);
	return 0;
}

void explore_result_release(struct explore_result *result)
{
	for (int bug = 0; bug < BUG_COUNT; bug++) {
		for (size_t i = 0; i < result->bugs[bug].n; i++)
			witness_release(&result->bugs[bug].at[i].witness);
		vec_release(&result->bugs[bug]);
	}
}
