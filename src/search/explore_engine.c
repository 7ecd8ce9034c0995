/* The exhaustive engine as one of many: it knows all answers at once, of small traces. */
#include "search/engine.h"
#include "search/explore.h"

#include <string.h>

struct explore_engine {
	struct engine engine;
	struct explore_result all;
	int status;
	struct err err;
};

static struct engine *start_explore(const struct index *index, const struct engine_options *options,
				    struct err *err)
{
	struct explore_engine *x = mem_alloc_zero(1, sizeof(*x));
	struct explore_limits limits = {.bytes = options->budget.bytes};

	(void)err;
	x->status = explore(index, options->model, &limits, &x->all, &x->err);
	return &x->engine;
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

static enum answer ask_explore(struct engine *e, const struct query *q, struct witness *w)
{
	struct explore_engine *x = (struct explore_engine *)e;
	const struct explore_finding *at = q->bug == BUG_RACE	    ? x->all.races.at
					   : q->bug == BUG_DEADLOCK ? x->all.deadlocks.at
								    : x->all.stuck.at;
	size_t n = q->bug == BUG_RACE	    ? x->all.races.n
		   : q->bug == BUG_DEADLOCK ? x->all.deadlocks.n
					    : x->all.stuck.n;

	if (x->status < 0) {
		e->why = x->err;
		return UNDECIDED;
	}
	for (size_t i = 0; i < n; i++) {
		if (!is_same(&at[i].witness, q))
			continue;
		witness_copy(w, &at[i].witness);
		return PROVED;
	}
	return REFUTED;
}

static void finish_explore(struct engine *e)
{
	struct explore_engine *x = (struct explore_engine *)e;

	explore_result_release(&x->all);
	mem_free(x);
}

const struct engine_kind engine_explore = {
	.name = "explore",
	.title = "every execution of a small trace",
	.start = start_explore,
	.ask = ask_explore,
	.finish = finish_explore,
};
