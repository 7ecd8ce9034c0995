#include "search/greedy.h"

#include "search/greedy_set.h"

#include <time.h>

struct greedy {
	struct engine engine;
	struct greedy_facts *facts;
	struct greedy_clock clock;
	struct run *run;
	struct set set;
	struct event_list order;
};

static struct engine *start_greedy(const struct index *index, const struct engine_options *options,
				   struct err *err)
{
	struct greedy *g = mem_alloc_zero(1, sizeof(*g));

	(void)err;
	g->facts = greedy_facts_new(index);
	g->run = run_new(index, options->model);
	set_init(&g->set, g->facts, options->model);
	g->set.clock = &g->clock;
	return &g->engine;
}

static void finish_greedy(struct engine *e)
{
	struct greedy *g = (struct greedy *)e;

	set_release(&g->set);
	vec_release(&g->order.at);
	run_free(g->run);
	greedy_facts_free(g->facts);
	mem_free(g);
}

static void start_clock(struct greedy *g)
{
	const struct budget *budget = &g->engine.options.budget;
	struct timespec now;

	g->clock.stop = budget->stop;
	g->clock.end = 0;
	if (!budget->seconds)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	g->clock.end = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + budget->seconds;
}

static void put_witness(const struct greedy *g, const struct query *q, struct witness *w)
{
	w->model = g->engine.options.model;
	w->bug = q->bug;
	for (uint32_t i = 0; i < q->count; i++)
		vec_push(&w->bug_events, q->events[i]);
	vec_reserve(&w->run, g->order.at.n);
	for (size_t i = 0; i < g->order.at.n; i++)
		vec_push(&w->run, g->order.at.at[i]);
}

/* The order of the set as recorded: is it an execution, with the bug at its end? */
static bool try_recorded(struct greedy *g, const struct query *q)
{
	set_start(&g->set, SET_RECORDED, q);
	if (!set_close(&g->set))
		return false;
	set_list(&g->set, &g->order);
	run_reset(g->run);
	for (size_t i = 0; i < g->order.at.n; i++) {
		if (!(i & 0xffff) && greedy_is_over(&g->clock))
			return false;
		if (!run_step(g->run, g->order.at.at[i], NULL))
			return false;
	}
	return run_shows(g->run, q);
}

static bool is_good(const struct index *index, const struct query *q)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (!q->events[i] || q->events[i] > index->count)
			return false;
	return q->bug != BUG_RACE ||
	       (q->count == 2 && index_conflict(index, q->events[0], q->events[1]));
}

static enum answer ask_greedy(struct engine *e, const struct query *q, struct witness *w)
{
	struct greedy *g = (struct greedy *)e;

	if (q->bug != BUG_RACE && q->bug != BUG_DEADLOCK) {
		err_set(&e->why, ERR_LIMIT, "greedy looks for races and deadlocks alone");
		return UNDECIDED;
	}
	if (!is_good(g->engine.index, q))
		return REFUTED;
	start_clock(g);
	if (e->options.model != MODEL_SAID && try_recorded(g, q)) {
		put_witness(g, q, w);
		return PROVED;
	}
	set_start(&g->set, SET_MUST, q);
	if (!set_close(&g->set) && g->set.failed)
		return REFUTED;
	return UNDECIDED;
}

const struct engine_kind engine_greedy = {
	.name = "greedy",
	.title = "the recorded order with little changed, on traces of any length",
	.start = start_greedy,
	.ask = ask_greedy,
	.finish = finish_greedy,
};
