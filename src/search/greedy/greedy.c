/* SPDX-License-Identifier: MIT */
#include "base/log.h"
#include "base/seconds.h"
#include "search/greedy/greedy.h"

#include "search/greedy/few.h"
#include "search/greedy/moved.h"
#include "search/greedy/schedule.h"
#include "search/greedy/stuck.h"
#include "search/realise.h"

#include "model/past.h"

struct greedy {
	struct engine engine;
	struct greedy_facts *facts;
	struct greedy_clock clock;
	struct run *run;
	struct run_marks *marks;
	struct greedy_set set;
	struct greedy_graph graph;
	struct greedy_schedule schedule;
	struct greedy_moved moved;
	struct greedy_few few;
	struct past *past;	   /* for atomicity; NULL: not asked so far */
	struct realiser *realiser; /* likewise */
	struct event_list order;   /* the execution so far */
	struct event_list tail;	   /* what is to be put in order behind that */
	struct event_list rest;	   /* model said: what follows the bug */
	VEC(struct greedy_graph_wish) wishes, tried;
	VEC(uint32_t) strays;
};

/* What the engine has to know of a kind of bug. */
struct greedy_bug {
	/* Could these events be one at all? NULL: any could. */
	bool (*is_possible)(const struct index *index, const struct query *q);
	/* The same, of the set of events that have to happen before; NULL: likewise. */
	bool (*is_closed)(const struct greedy *g, const struct query *q);
	enum answer (*search)(struct greedy *g, const struct query *q);
	enum answer (*refute)(struct greedy *g, const struct query *q); /* quickly, or not */
	const char *moved;						/* by the search */
};

static const struct greedy_bug *bug_of(const struct query *q);

static struct engine *start_greedy(const struct index *index, const struct engine_options *options,
				   struct err *err)
{
	struct greedy *g = mem_alloc_zero(1, sizeof(*g));

	(void)err;
	g->facts = greedy_facts_new(index, options);
	g->run = run_new(index, options->model);
	g->marks = run_marks_new(index, 0);
	greedy_set_init(&g->set, g->facts, options->model);
	g->set.clock = &g->clock;
	greedy_graph_init(&g->graph, &g->set);
	greedy_schedule_init(&g->schedule, &g->set, g->run);
	greedy_moved_init(&g->moved, &g->set);
	greedy_few_init(&g->few, &g->set, g->run, g->marks);
	return &g->engine;
}

static void finish_greedy(struct engine *e)
{
	struct greedy *g = (struct greedy *)e;

	greedy_set_release(&g->set);
	greedy_graph_release(&g->graph);
	greedy_schedule_release(&g->schedule);
	vec_release(&g->order.at);
	vec_release(&g->rest.at);
	vec_release(&g->tail.at);
	vec_release(&g->strays);
	greedy_moved_release(&g->moved);
	greedy_few_release(&g->few);
	vec_release(&g->wishes);
	vec_release(&g->tried);
	past_free(g->past);
	realiser_free(g->realiser);
	run_free(g->run);
	run_marks_free(g->marks);
	greedy_facts_free(g->facts);
	mem_free(g);
}

static void start_clock(struct greedy *g)
{
	const struct budget *budget = &g->engine.options.budget;
	g->clock.stop = budget->stop;
	g->clock.end = 0;
	if (!budget->seconds)
		return;
	g->clock.end = seconds_spent() + budget->seconds;
}

static void put_witness(const struct greedy *g, const struct query *q, struct witness *w)
{
	w->model = g->engine.options.model;
	w->bug = q->bug;
	for (uint32_t i = 0; i < q->count; i++)
		vec_push(&w->bug_events, q->events[i]);
	w->recorded = g->set.base - 1;
	for (size_t i = 0; i < g->order.at.n; i++)
		vec_push(&w->run, g->order.at.at[i]);
	for (size_t i = 0; w->model == MODEL_SAID && i < g->rest.at.n; i++)
		vec_push(&w->rest, g->rest.at.at[i]);
}

static void start_set(struct greedy *g, enum greedy_set_kind kind, const struct query *q,
		      uint32_t base)
{
	run_start(g->run, g->marks, base);
	greedy_set_start(&g->set, kind, q, g->run);
}

/* Takes what is in the list, from the base of the set. */
static bool take_list(struct greedy *g)
{
	run_start(g->run, g->marks, g->set.base);
	for (size_t i = 0; i < g->order.at.n; i++) {
		if (!(i & 0xffff) && greedy_is_over(&g->clock))
			return false;
		if (!run_step(g->run, g->order.at.at[i], NULL))
			return false;
	}
	return true;
}

/* The order of the set as recorded: is it an execution, with the bug at its end? */
static bool try_recorded(struct greedy *g, const struct query *q, uint32_t base)
{
	start_set(g, SET_RECORDED, q, base);
	if (!greedy_set_close(&g->set))
		return false;
	greedy_set_list(&g->set, &g->order);
	return take_list(g) && run_shows(g->run, q);
}

/* All as recorded up to the first target, then few threads alone. */
static bool try_few(struct greedy *g, const struct query *q)
{
	uint32_t first = q->events[0];

	for (uint32_t i = 1; i < q->count; i++)
		first = q->events[i] < first ? q->events[i] : first;
	start_set(g, SET_MOVED, q, first);
	return greedy_few_find(&g->few, &g->order) && run_shows(g->run, q);
}

/*
 * What could be different, since this event cannot go on: its section comes before the one that
 * has the lock, or the write before the one that a kept read still wants.
 */
static bool find_wish(const struct greedy *g, const struct greedy_schedule_block *block,
		      struct greedy_graph_wish *wish)
{
	const struct sections *sections = g->facts->sections;
	uint32_t at = sections->at[block->event];

	if (!block->holder)
		return false;
	*wish = (struct greedy_graph_wish){block->event, block->holder};
	if (at && sections->all.at[at - 1].acquire == block->event)
		wish->before = sections->all.at[at - 1].release;
	return wish->before && greedy_set_has(&g->set, wish->before) &&
	       greedy_set_has(&g->set, wish->after);
}

/* One of those blocked that was not wished for before. */
static bool add_wish(struct greedy *g)
{
	for (size_t i = 0; i < g->schedule.blocked.n; i++) {
		struct greedy_graph_wish wish;
		size_t k = 0;

		if (!find_wish(g, &g->schedule.blocked.at[i], &wish))
			continue;
		while (k < g->tried.n &&
		       (g->tried.at[k].before != wish.before || g->tried.at[k].after != wish.after))
			k++;
		if (k < g->tried.n)
			continue;
		vec_push(&g->tried, wish);
		vec_push(&g->wishes, wish);
		return true;
	}
	return false;
}

/* An order of the tail by the graph; what comes in front is in the list already. */
static bool try_schedule(struct greedy *g, const struct query *q)
{
	if (!take_list(g))
		return false;
	greedy_schedule_start(&g->schedule, &g->graph);
	return greedy_schedule_run(&g->schedule, &g->order) && run_shows(g->run, q);
}

/* Which events of the set may move: what has to, and what follows from that; or all. */
static bool choose_nodes(struct greedy *g, bool whole)
{
	greedy_set_list(&g->set, &g->order);
	if (whole) {
		struct event_list all = g->order;

		g->order = g->tail;
		g->order.at.n = 0;
		g->tail = all;
		for (uint32_t t = 0; t < g->engine.index->thread_count; t++)
			g->graph.start[t] = g->set.first[t];
		return true;
	}
	greedy_moved_start(&g->moved);
	for (size_t i = 0; i < g->strays.n; i++)
		greedy_moved_add(&g->moved, g->strays.at[i]);
	for (size_t i = 0; i < g->wishes.n; i++)
		if (g->wishes.at[i].after < g->wishes.at[i].before)
			greedy_moved_add(&g->moved, g->wishes.at[i].after);
	if (!greedy_moved_find(&g->moved, &g->order, &g->tail))
		return false;
	for (uint32_t t = 0; t < g->engine.index->thread_count; t++)
		g->graph.start[t] = g->moved.start[t];
	return true;
}

struct attempt {
	bool close_all;	    /* see struct set */
	bool whole;	    /* everything may move, if the set is small */
	bool first_sources; /* see struct set; for those that have other sources at all */
};

static bool try_moved(struct greedy *g, const struct query *q, uint32_t base,
		      struct attempt attempt)
{
	bool closed;

	g->wishes.n = g->tried.n = g->strays.n = 0;
	if (attempt.first_sources && !g->set.sources.n)
		return false;
	g->set.close_all = attempt.close_all;
	g->set.first_sources = attempt.first_sources;
	greedy_set_forget(&g->set);
	do {
		start_set(g, SET_MOVED, q, base);
		closed = greedy_set_close(&g->set);
	} while (!closed && greedy_set_blame(&g->set));
	if (!closed || (attempt.whole && greedy_set_size(&g->set) > greedy_tune.small))
		return false;
	uint32_t most = greedy_set_size(&g->set) > greedy_tune.small ? greedy_tune.tries / 4
								     : greedy_tune.tries;

	for (uint32_t tries = 0; tries < most && !greedy_is_over(&g->clock); tries++) {
		if (!choose_nodes(g, attempt.whole))
			return false;
		switch (greedy_graph_build(&g->graph, &g->tail, g->wishes.at, g->wishes.n,
					   greedy_tune.clocks)) {
		case GRAPH_GREW: break;
		case GRAPH_STRAY: vec_push(&g->strays, g->graph.stray); break;
		case GRAPH_OVER: return false;
		case GRAPH_CYCLE:
			if (g->set.failed || !g->wishes.n)
				return false;
			g->wishes.n--;
			break;
		case GRAPH_FINE:
			if (try_schedule(g, q))
				return true;
			if (!add_wish(g))
				return false;
			break;
		}
	}
	return false;
}

/* For a graph whose clocks are not too large: the last events of each thread. */
static void choose_last(struct greedy *g, uint32_t clocks)
{
	const struct index *index = g->engine.index;
	uint32_t most = clocks / index->thread_count / index->thread_count;

	for (uint32_t t = 0; t < index->thread_count; t++)
		g->graph.start[t] = g->set.cut[t] > most ? g->set.cut[t] - most : 0;
	greedy_set_list_from(&g->set, g->graph.start, &g->tail);
}

/* Does each thread of a deadlock want a lock that the next one holds when it gets there? */
static bool is_ring(const struct greedy *g, const struct query *q)
{
	for (uint32_t i = 0; i < q->count; i++) {
		const struct event *e = &g->engine.index->events[q->events[i]];
		const struct event *next = &g->engine.index->events[q->events[(i + 1) % q->count]];
		const struct section *held = greedy_set_held(
			&g->set, e->kind == EV_WOKEN ? e->more->lock : e->object, next->thread);

		if ((e->kind != EV_ACQUIRE && e->kind != EV_ACQUIRE_SHARED &&
		     e->kind != EV_WOKEN) ||
		    !held || (held->shared && e->kind == EV_ACQUIRE_SHARED))
			return false;
	}
	return q->count > 1;
}

/* What has to happen before contradicts itself: what that says of the events from `near` on. */
static bool is_impossible_near(struct greedy *g, const struct query *q, uint32_t clocks,
			       uint32_t near)
{
	g->set.near = near;
	start_set(g, SET_MUST, q, 1);
	if (!greedy_set_close(&g->set) || !greedy_set_takes(&g->set))
		return g->set.failed;
	if (bug_of(q)->is_closed && !bug_of(q)->is_closed(g, q))
		return true;
	while (!greedy_is_over(&g->clock)) {
		choose_last(g, clocks);
		enum greedy_graph_result result =
			greedy_graph_build(&g->graph, &g->tail, NULL, 0, clocks);

		if (result != GRAPH_GREW)
			return result == GRAPH_CYCLE;
	}
	return false;
}

/* Where the rules begin for a first look; 0: at the start. Held locks may be from anywhere. */
static uint32_t near_of(const struct greedy *g, const struct query *q)
{
	uint32_t first = UINT32_MAX;

	for (uint32_t i = 0; i < q->count; i++)
		first = q->events[i] < first ? q->events[i] : first;
	if (!g->facts->causes || bug_of(q)->is_closed || first <= 2 * greedy_tune.near)
		return 0;
	return first - greedy_tune.near;
}

/* In no execution of the trace. */
static bool is_impossible(struct greedy *g, const struct query *q, uint32_t clocks)
{
	uint32_t near = near_of(g, q);

	return (near && is_impossible_near(g, q, clocks, near)) ||
	       is_impossible_near(g, q, clocks, 0);
}

/* Model said: one access follows the other, and then all that is left. */
static bool complete(struct greedy *g, const struct query *q, uint32_t first, uint32_t second)
{
	if (!take_list(g))
		return false;
	g->rest.at.n = 0;
	greedy_set_fill(&g->set);
	greedy_schedule_start(&g->schedule, NULL);
	if (bug_facts[q->bug].adjacent && (!greedy_schedule_take(&g->schedule, first, &g->rest) ||
					   !greedy_schedule_take(&g->schedule, second, &g->rest)))
		return false;
	return greedy_schedule_run(&g->schedule, &g->rest) && run_complete(g->run);
}

static bool is_proved(struct greedy *g, const struct query *q)
{
	if (g->engine.options.model == MODEL_SAID)
		return complete(g, q, q->events[0], q->events[1]) ||
		       complete(g, q, q->events[1], q->events[0]);
	return true;
}

static bool are_events(const struct index *index, const struct query *q)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (!q->events[i] || q->events[i] > index->count)
			return false;
	return true;
}

static bool may_race(const struct index *index, const struct query *q)
{
	return are_events(index, q) && q->count == 2 &&
	       index_conflict(index, q->events[0], q->events[1]);
}

/*
 * Where it is worth a try to take all before as recorded: some way before the first of the
 * targets, and of the sections that they stand in.
 */
static uint32_t choose_base(const struct greedy *g, const struct query *q)
{
	uint32_t base = UINT32_MAX, margin = g->engine.index->count / 16;

	for (uint32_t i = 0; i < q->count; i++) {
		uint32_t first = run_marks_first_hold(g->marks, q->events[i]);

		base = first < base ? first : base;
	}
	if (margin > greedy_tune.margin_most)
		margin = greedy_tune.margin_most;
	return base > 4 * margin ? base - margin : 1;
}

static bool tell(const struct greedy *g, const char *attempt, bool good)
{
	LOG(LOG_GREEDY, 2, "%s: %s, with a set of %zu events behind %u", attempt,
	    good ? "yes" : "no", greedy_set_size(&g->set), g->set.base - 1);
	return good;
}

static enum answer search(struct greedy *g, const struct query *q)
{
	static const struct attempt attempts[] = {
		{.close_all = true},
		{.close_all = false},
		{.close_all = true, .whole = true},
		{.close_all = false, .whole = true},
		{.close_all = true, .first_sources = true},
		{.close_all = true, .whole = true, .first_sources = true},
	};
	uint32_t base = choose_base(g, q);

	if (tell(g, "recorded", try_recorded(g, q, base)) && is_proved(g, q))
		return PROVED;
	if (base > 1 && tell(g, "moved", try_moved(g, q, base, attempts[0])) && is_proved(g, q))
		return PROVED;
	if (tell(g, "impossible", is_impossible(g, q, greedy_tune.clocks_few)))
		return REFUTED;
	if (tell(g, "few", try_few(g, q)) && is_proved(g, q))
		return PROVED;
	if (base > 1 && tell(g, "recorded", try_recorded(g, q, 1)) && is_proved(g, q))
		return PROVED;
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
		/* the sets of all attempts are about as large: that of the last one will tell */
		if (attempts[i].whole && greedy_set_size(&g->set) > 2 * greedy_tune.small)
			continue;
		if (tell(g, attempts[i].whole ? "all moved" : "moved",
			 try_moved(g, q, 1, attempts[i])) &&
		    is_proved(g, q))
			return PROVED;
	}
	return tell(g, "impossible", is_impossible(g, q, greedy_tune.clocks)) ? REFUTED : UNDECIDED;
}

static enum answer search_stuck(struct greedy *g, const struct query *q)
{
	struct greedy_stuck s = {g->engine.index, g->marks, &g->clock, g->run};

	return q->count == 1 && event_blocks(&g->engine.index->events[q->events[0]]) &&
			       greedy_stuck_find(&s, q, &g->order, &g->set.base)
		       ? PROVED
		       : UNDECIDED;
}

/* Atomicity: its accesses happen in their order, and the last of them at the end. */

static void prepare_chain(struct greedy *g)
{
	const struct realise_limits limits = {greedy_tune.chain_depth, greedy_tune.chain_steps};

	if (g->past)
		return;
	g->past = past_new(g->engine.index, g->facts->needs);
	g->realiser = realiser_new(g->engine.index, g->engine.options.model, &limits);
}

static bool is_of_query(const void *context, uint32_t event)
{
	const struct query *q = context;

	for (uint32_t i = 0; i < q->count; i++)
		if (q->events[i] == event)
			return true;
	return false;
}

/* One of them comes before an earlier one in every execution that has that. */
static enum answer refute_chain(struct greedy *g, const struct query *q)
{
	prepare_chain(g);
	for (uint32_t i = 1; i < q->count; i++)
		if (past_has(g->past, g->engine.index, q->events[i - 1], q->events[i]))
			return REFUTED;
	return UNDECIDED;
}

static enum answer search_chain(struct greedy *g, const struct query *q)
{
	struct witness w = {0};
	enum answer answer = refute_chain(g, q);

	/* in said the rest has to follow, which nobody looks for */
	if (answer == UNDECIDED && g->engine.options.model != MODEL_SAID &&
	    realise(g->realiser, is_of_query, q, q->events, q->count, &w))
		answer = PROVED;
	g->set.base = 1;
	g->order.at.n = 0;
	for (size_t i = 0; i < w.run.n; i++)
		vec_push(&g->order.at, (uint32_t)w.run.at[i]);
	witness_release(&w);
	return answer;
}

static enum answer refute(struct greedy *g, const struct query *q)
{
	return is_impossible(g, q, greedy_tune.clocks_few) ? REFUTED : UNDECIDED;
}

static enum answer refute_none(struct greedy *g, const struct query *q)
{
	(void)g;
	(void)q;
	return UNDECIDED;
}

static const struct greedy_bug bugs[] = {
	[BUG_RACE] = {may_race, NULL, search, refute, "sections"},
	[BUG_DEADLOCK] = {are_events, is_ring, search, refute, "sections"},
	[BUG_STUCK] = {NULL, NULL, search_stuck, refute_none, "one thread"},
	[BUG_PROPERTY] = {0}, /* the engine is not asked about it */
	[BUG_ATOMICITY] = {NULL, NULL, search_chain, refute_chain, "one thread"},
	[BUG_CHOICE] = {0}, /* likewise */
};
BUG_ROWS_ARE_ALL(bugs);

static const struct greedy_bug *bug_of(const struct query *q)
{
	return &bugs[q->bug];
}

static enum answer ask_greedy(struct engine *e, const struct query *q, struct witness *w)
{
	struct greedy *g = (struct greedy *)e;
	const struct greedy_bug *bug = bug_of(q);

	/* in model said every thread gets to its end */
	if ((bug->is_possible && !bug->is_possible(e->index, q)) ||
	    (bug_facts[q->bug].blocks && e->options.model == MODEL_SAID))
		return REFUTED;
	start_clock(g);
	enum answer answer = e->options.refute_only ? bug->refute(g, q) : bug->search(g, q);
	char text[ENGINE_QUERY_TEXT];

	LOG(LOG_GREEDY, 1, "%s: %s", engine_query_text(q, text), engine_answer_text[answer]);
	if (answer == PROVED)
		put_witness(g, q, w);
	else if (answer == UNDECIDED)
		err_set(&e->why, ERR_LIMIT, "no order was found by moving %s", bug->moved);
	return answer;
}

const struct engine_kind engine_greedy = {
	.name = "greedy",
	.title = "change the recorded order a little; for traces of any length",
	.bugs = BUG_BIT(BUG_RACE) | BUG_BIT(BUG_DEADLOCK) | BUG_BIT(BUG_STUCK) |
		BUG_BIT(BUG_ATOMICITY),
	.start = start_greedy,
	.ask = ask_greedy,
	.finish = finish_greedy,
};
