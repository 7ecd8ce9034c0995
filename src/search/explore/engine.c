/* SPDX-License-Identifier: MIT */
/*
 * The exhaustive engine as one of many, for small traces: of races and deadlocks it knows all
 * answers at once; for stuck threads it looks until it finds them.
 */
#include "search/engine.h"
#include "search/explore/chain.h"
#include "search/explore/stuck.h"

#include <string.h>

struct explore_engine {
	struct engine engine;
	bool explored;
	struct explore_result all;
	int status;
	struct err err;
};

static struct engine *start_explore(const struct index *index, const struct engine_options *options,
				    struct err *err)
{
	struct explore_engine *x = mem_alloc_zero(1, sizeof(*x));

	(void)index;
	(void)options;
	(void)err;
	return &x->engine;
}

static enum answer ask_stuck(struct engine *e, const struct query *q, struct witness *w)
{
	struct stuck_options options = {
		.limits.bytes = e->options.budget.bytes,
		.first = true,
		.events = q->events,
		.count = q->count,
	};
	struct stuck_result stuck;
	int status = stuck_explore(e->index, e->options.model, &options, &stuck, &e->why);
	bool found = stuck.found.n;

	if (found) {
		witness_copy(w, &stuck.found.at[0].witness);
		w->bug_events.n = 0;
		for (uint32_t i = 0; i < q->count; i++)
			vec_push(&w->bug_events, q->events[i]);
	}
	stuck_result_release(&stuck);
	return status < 0 ? UNDECIDED : found ? PROVED : REFUTED;
}

static enum answer ask_chain(struct engine *e, const struct query *q, struct witness *w)
{
	const struct explore_limits limits = {.bytes = e->options.budget.bytes};
	bool found;
	int status = chain_explore(e->index, e->options.model, &limits, q->events, q->count, w,
				   &found, &e->why);

	w->bug = q->bug;
	return status < 0 ? UNDECIDED : found ? PROVED : REFUTED;
}

static void explore_all(struct explore_engine *x)
{
	struct explore_limits limits = {.bytes = x->engine.options.budget.bytes};

	x->explored = true;
	x->status = explore(x->engine.index, x->engine.options.model, &limits, &x->all, &x->err);
}

static bool is_same(const struct witness *w, const struct query *q)
{
	for (uint32_t i = 0; i < q->count; i++) {
		size_t k = 0;

		while (k < w->bug_events.n && w->bug_events.at[k] != q->events[i])
			k++;
		if (k == w->bug_events.n)
			return false;
	}
	return w->bug_events.n == q->count;
}

static enum answer ask_all(struct engine *e, const struct query *q, struct witness *w)
{
	struct explore_engine *x = (struct explore_engine *)e;

	if (!x->explored)
		explore_all(x);
	if (x->status < 0) {
		e->why = x->err;
		return UNDECIDED;
	}
	for (size_t i = 0; i < x->all.bugs[q->bug].n; i++) {
		const struct witness *found = &x->all.bugs[q->bug].at[i].witness;

		if (!is_same(found, q))
			continue;
		witness_copy(w, found);
		return PROVED;
	}
	return REFUTED;
}

/*
 * One that is about all threads has a search of its own, with fewer states. So has one whose events
 * are in the run, of which a state does not know the order.
 */
static enum answer ask_explore(struct engine *e, const struct query *q, struct witness *w)
{
	if (bug_facts[q->bug].past)
		return ask_chain(e, q, w);
	return bug_facts[q->bug].everyone ? ask_stuck(e, q, w) : ask_all(e, q, w);
}

static void finish_explore(struct engine *e)
{
	struct explore_engine *x = (struct explore_engine *)e;

	explore_result_release(&x->all);
	mem_free(x);
}

const struct engine_kind engine_explore = {
	.name = "explore",
	.title = "search all executions of a small trace",
	.bugs = BUG_BIT(BUG_RACE) | BUG_BIT(BUG_DEADLOCK) | BUG_BIT(BUG_STUCK) |
		BUG_BIT(BUG_ATOMICITY),
	.start = start_explore,
	.ask = ask_explore,
	.finish = finish_explore,
};
