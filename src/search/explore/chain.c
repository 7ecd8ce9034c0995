/* SPDX-License-Identifier: MIT */
#include "search/explore/chain.h"

#include "search/explore/persistent.h"
#include "search/explore/states.h"

#include <string.h>

struct chain {
	struct space *s;
	struct persistent *persistent; /* NULL: no reduction */
	struct states states;
	const uint32_t *events;
	uint32_t count;
	VEC(uint32_t) pending; /* the last that was found comes first */
	uint32_t found;	       /* state, or STATES_NONE */
};

/* Not before those in front of it; one that its thread skips never happens. */
static bool is_in_turn(const struct chain *x, const uint64_t *from, const uint64_t *to,
		       uint32_t event)
{
	for (uint32_t i = 0; i < x->count; i++) {
		bool is_past = space_done(x->s, to, x->events[i]);

		if (x->events[i] != event && is_past && !space_done(x->s, from, x->events[i]))
			return false;
		if (x->events[i] == event && i && !space_done(x->s, from, x->events[i - 1]))
			return false;
	}
	return true;
}

static bool is_goal(const struct chain *x, const uint64_t *state)
{
	return x->s->model == MODEL_SAID ? space_complete(x->s, state)
					 : space_done(x->s, state, x->events[x->count - 1]);
}

static int add_state(struct chain *x, const uint64_t *record, uint32_t parent, uint32_t event,
		     struct err *err)
{
	size_t before = x->states.n;
	uint32_t number;
	int code = states_add(&x->states, record, parent, event, &number, err);

	if (code || x->states.n == before)
		return code;
	if (is_goal(x, record))
		x->found = number;
	vec_push(&x->pending, number);
	return 0;
}

static int expand(struct chain *x, uint32_t state, uint64_t *record, struct err *err)
{
	const bool *tried =
		x->persistent ? persistent_choose(x->persistent, states_record(&x->states, state))
			      : NULL;
	int code = 0;

	for (uint32_t t = 0; t < x->s->index->thread_count && !code && x->found == STATES_NONE;
	     t++) {
		const uint64_t *from = states_record(&x->states, state);
		uint32_t event = space_next(x->s, from, t);

		if ((tried && !tried[t]) || !space_can(x->s, from, t))
			continue;
		memcpy(record, from, x->states.words * sizeof(*record));
		if (space_step(x->s, record, t) && is_in_turn(x, from, record, event))
			code = add_state(x, record, state, event, err);
	}
	return code;
}

static int search(struct chain *x, struct err *err)
{
	uint64_t *record = mem_alloc_zero(x->states.words, sizeof(*record));
	int code;

	space_start(x->s, record);
	code = add_state(x, record, STATES_NONE, 0, err);
	while (!code && x->pending.n && x->found == STATES_NONE)
		code = expand(x, x->pending.at[--x->pending.n], record, err);
	mem_free(record);
	return code;
}

/* Up to the last event of the chain; what is behind it is the rest. */
static void put_run(const struct chain *x, struct witness *w)
{
	VEC(uint32_t) back = {0};
	bool over = false;

	w->model = x->s->model;
	for (uint32_t i = 0; i < x->count; i++)
		vec_push(&w->bug_events, x->events[i]);
	for (uint32_t i = x->found; i; i = x->states.parent[i])
		vec_push(&back, x->states.event[i]);
	for (size_t i = back.n; i-- > 0;) {
		if (over)
			vec_push(&w->rest, back.at[i]);
		else
			vec_push(&w->run, back.at[i]);
		over |= back.at[i] == x->events[x->count - 1];
	}
	vec_release(&back);
}

int chain_explore(const struct index *index, enum model model, const struct explore_limits *limits,
		  const uint32_t *events, uint32_t count, struct witness *w, bool *found,
		  struct err *err)
{
	struct chain x = {.events = events, .count = count, .found = STATES_NONE};
	bool *heard = mem_alloc_zero((size_t)index->count + 1, sizeof(*heard));

	for (uint32_t i = 0; i < count; i++)
		heard[events[i]] = true;
	x.s = space_new(index, model, false);
	/* said is about all events, and steps may fail */
	if (model != MODEL_SAID)
		x.persistent = persistent_new(x.s, heard);
	states_init(&x.states, x.s->words, limits);
	int code = search(&x, err);

	*found = !code && x.found != STATES_NONE;
	if (*found)
		put_run(&x, w);
	vec_release(&x.pending);
	states_release(&x.states);
	persistent_free(x.persistent);
	space_free(x.s);
	mem_free(heard);
	return code;
}
