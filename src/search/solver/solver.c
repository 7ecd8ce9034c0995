/* SPDX-License-Identifier: MIT */
/*
 * The ordering solver: a query as clauses and orders over a cone (search/solver/formula.h), solved;
 * the solution made a schedule; the schedule tried; what was missing added, until there is an
 * execution or no solution.
 *
 * A small trace is one cone, and one formula for all queries: what was learned for one helps the
 * next. In a long trace each query gets a cone of its own: all that can matter, if that is not too
 * much, else windows around its events, of which only a success counts.
 */
#include "base/log.h"
#include "base/seconds.h"
#include "property/monitor.h"
#include "search/solver/sweep.h"

#include <string.h>

/* A cone, and its formula. */
struct problem {
	struct cone *cone;
	struct formula *formula;
	struct timeline *timeline;
	struct sweep *sweep;
	VEC(uint32_t)
	reached;	  /* events that threads have come to in the end, in the last solution */
	VEC(lit) further; /* what else is assumed: clauses of the question at hand */
};

struct solver {
	struct engine engine;
	struct needs *needs;
	const struct sections *sections;
	struct cone_facts facts;
	struct problem *whole; /* of a small trace; NULL: not asked so far */
	/* the same for stuck states; NULL: not asked so far */
	struct needs *early_needs;
	struct cone_facts stuck_facts;
	struct problem *stuck_whole;
	/* all that can matter for what a monitor hears; NULL: that is too much, or not asked so far
	 */
	struct problem *heard;
	const struct monitor *heard_by;
	double deadline;
};

/* What the solver has to know of a kind of bug. */
struct solver_bug {
	/* Could these events be one at all? */
	bool (*is_possible)(const struct solver *v, const struct query *q);
	/* To be assumed: so many literals, and the i-th of them. */
	uint32_t (*count)(const struct query *q);
	lit (*wanted)(struct formula *f, const struct query *q, uint32_t i);
	/* Asks about a trace that is too long for one formula: cones of at most that many events.
	 */
	enum answer (*ask)(struct solver *v, const struct query *q, struct witness *w,
			   uint32_t most);
	bool stands; /* in the end threads have come to the events of the query */
	bool named;  /* the witness names these */
};

static const struct solver_bug *bug_of(const struct query *q);

static struct problem *problem_new(const struct cone_facts *facts, struct cone *cone, bool limited)
{
	struct problem *p = mem_alloc_zero(1, sizeof(*p));

	p->cone = cone;
	p->formula = formula_new(facts, cone, limited);
	p->timeline = timeline_new(p->formula);
	p->sweep = sweep_new(p->formula);
	return p;
}

static void problem_free(struct problem *p)
{
	if (!p)
		return;
	vec_release(&p->reached);
	vec_release(&p->further);
	sweep_free(p->sweep);
	timeline_free(p->timeline);
	formula_free(p->formula);
	cone_free(p->cone);
	mem_free(p);
}

/* In model said the two accesses follow each other, in an execution of everything. */
static void ask_adjacent(struct problem *p, const struct query *q)
{
	struct timeline *s = p->timeline;

	s->pair[0] = cone_node(p->formula->cone, q->events[0]);
	s->pair[1] = cone_node(p->formula->cone, q->events[1]);
	s->adjacent = sat_variable(p->formula->sat);
	precedence_adjacent(p->formula->order, s->adjacent, s->pair[0], s->pair[1]);
}

/* Solutions are looked for where they are simple first; the last stage has them all. */
enum stage { STAGE_RECORDED, STAGE_NOT_COMPUTED, STAGE_ALL };

static uint32_t count_events(const struct query *q)
{
	return q->count;
}

static uint32_t count_pairs(const struct query *q)
{
	return q->count / 2;
}

static uint32_t count_links(const struct query *q)
{
	return q->count - 1;
}

/* The thread of the event has come to it in the end. */
static lit want_ready(struct formula *f, const struct query *q, uint32_t i)
{
	return formula_ready(f, q->events[i]);
}

static lit want_waits(struct formula *f, const struct query *q, uint32_t i)
{
	return formula_waits(f, q->events[i]);
}

/* What happens, and in which order (search/engine.h). */
static lit want_pair(struct formula *f, const struct query *q, uint32_t i)
{
	uint32_t first = q->events[2 * i], second = q->events[2 * i + 1];

	if (!second)
		return -formula_happens(f, first);
	return first ? formula_before(f, first, second) : formula_happens(f, second);
}

/* All happen, in the order of the query. */
static lit want_link(struct formula *f, const struct query *q, uint32_t i)
{
	return formula_before(f, q->events[i], q->events[i + 1]);
}

static void assume(struct problem *p, const struct query *q, const lit *ready, enum stage stage)
{
	struct formula *f = p->formula;

	if (p->timeline->adjacent)
		sat_assume(f->sat, p->timeline->adjacent);
	else
		for (uint32_t i = 0; i < bug_of(q)->count(q); i++)
			sat_assume(f->sat, ready[i]);
	for (size_t i = 0; i < p->further.n; i++)
		sat_assume(f->sat, p->further.at[i]);
	if (stage == STAGE_RECORDED)
		sat_assume(f->sat, -f->other_source);
	if (stage < STAGE_ALL)
		sat_assume(f->sat, -f->computing);
}

static const char *const stage_text[] = {"recorded sources", "recorded values", "all"};

/* Those of the query; of a stuck state all that threads wait at. */
static void find_reached(struct problem *p, const struct query *q)
{
	const struct formula *f = p->formula;
	bool everyone = bug_facts[q->bug].everyone;

	p->reached.n = 0;
	for (uint32_t i = 0;
	     i < q->count && !everyone && bug_of(q)->stands && !p->timeline->adjacent; i++)
		vec_push(&p->reached, q->events[i]);
	for (uint32_t n = 1; n <= f->cone->count && everyone; n++)
		if (f->waits[n] && sat_true(f->sat, f->waits[n]))
			vec_push(&p->reached, f->cone->event[n]);
}

static bool is_over(const struct solver *v)
{
	return budget_ended(&v->engine.options.budget, v->deadline);
}

static enum answer solve_stage(struct solver *v, struct problem *p, const struct query *q,
			       const lit *ready, enum stage stage)
{
	for (;;) {
		if (is_over(v))
			return UNDECIDED;
		assume(p, q, ready, stage);
		enum sat_answer answer =
			sat_solve(p->formula->sat, &v->engine.options.budget, v->deadline);

		if (answer != SAT_SATISFIABLE) {
			LOG(LOG_SOLVER, 2, "stage %s: %s", stage_text[stage],
			    answer == SAT_UNKNOWN ? "unknown" : "unsatisfiable");
			return answer == SAT_UNKNOWN ? UNDECIDED : REFUTED;
		}
		find_reached(p, q);
		timeline_make(p->timeline);
		bool good = sweep_run(p->sweep, p->timeline, p->reached.at, (uint32_t)p->reached.n);

		LOG(LOG_SOLVER, 2, "stage %s: satisfiable; its schedule %s", stage_text[stage],
		    good ? "is an execution" : "is none: more clauses");
		if (good)
			return PROVED;
	}
}

/* Each clause holds if its literal, which is assumed, does: other questions are not asked it. */
static void put_clauses(struct problem *p, const struct engine_options *o)
{
	struct formula *f = p->formula;
	lit when = 0;

	p->further.n = 0;
	for (size_t i = 0; i < o->clause_words; i++) {
		int32_t event = o->clauses[i];

		if (!when) {
			when = sat_variable(f->sat);
			vec_push(&p->further, when);
			sat_or(f->sat, -when);
		}
		if (event == ENGINE_BEFORE) {
			sat_or(f->sat, formula_before(f, (uint32_t)o->clauses[i + 1],
						      (uint32_t)o->clauses[i + 2]));
			i += 2;
			continue;
		}
		if (event > 0)
			sat_or(f->sat, formula_happens(f, (uint32_t)event));
		if (event < 0)
			sat_or(f->sat, -formula_happens(f, (uint32_t)-event));
		if (event)
			continue;
		sat_end(f->sat);
		when = 0;
	}
}

static enum answer solve(struct solver *v, struct problem *p, const struct query *q)
{
	enum answer answer = REFUTED;
	enum stage last = v->facts.model == MODEL_PREDICTABLE ? STAGE_RECORDED
			  : v->facts.model == MODEL_VALUES    ? STAGE_ALL
							      : STAGE_NOT_COMPUTED;
	lit *ready = mem_alloc_zero(q->count + 1, sizeof(*ready));

	p->timeline->adjacent = 0;
	if (v->facts.model == MODEL_SAID && bug_facts[q->bug].adjacent)
		ask_adjacent(p, q);
	else
		for (uint32_t i = 0; i < bug_of(q)->count(q); i++)
			ready[i] = bug_of(q)->wanted(p->formula, q, i);
	put_clauses(p, &v->engine.options);
	for (enum stage stage = STAGE_RECORDED; answer == REFUTED && stage <= last; stage++)
		answer = solve_stage(v, p, q, ready, stage);
	mem_free(ready);
	return answer;
}

static void write_witness(const struct problem *p, const struct query *q, enum model model,
			  struct witness *w)
{
	const struct timeline *s = p->timeline;
	uint32_t last = bug_facts[q->bug].past && bug_of(q)->named ? q->events[q->count - 1] : 0;
	bool in_rest = false;

	w->model = model;
	w->bug = q->bug;
	for (uint32_t i = 0; i < q->count && bug_of(q)->named; i++)
		vec_push(&w->bug_events, q->events[i]);
	w->recorded = p->formula->cone->low;
	for (size_t i = 0; i < s->order.n; i++) {
		uint32_t node = s->order.at[i], event = p->formula->cone->event[node];

		in_rest |= s->adjacent && (node == s->pair[0] || node == s->pair[1]);
		if (!in_rest)
			vec_push(&w->run, event);
		else if (model == MODEL_SAID)
			vec_push(&w->rest, event);
		in_rest |= event == last;
	}
}

static const struct cone_facts *facts_for(struct solver *v, const struct query *q)
{
	if (!bug_facts[q->bug].everyone)
		return &v->facts;
	if (!v->early_needs) {
		v->early_needs = needs_new_early(v->facts.index);
		v->stuck_facts = v->facts;
		v->stuck_facts.needs = v->early_needs;
		v->stuck_facts.early = v->stuck_facts.stuck = true;
	}
	return &v->stuck_facts;
}

/* Adds what was done since; the counts of a formula go on from query to query. */
static void count_effort(struct solver *v, const struct problem *p,
			 const struct cdcl_counts *before)
{
	const struct cdcl_counts *now = sat_counts(p->formula->sat);
	struct engine_effort *effort = &v->engine.effort;

	effort->decisions += now->decisions - before->decisions;
	effort->conflicts += now->conflicts - before->conflicts;
	if (p->cone->count > effort->cone)
		effort->cone = p->cone->count;
}

static enum answer try_problem(struct solver *v, struct problem *p, const struct query *q,
			       struct witness *w)
{
	const struct cdcl_counts before = *sat_counts(p->formula->sat);
	enum answer answer = solve(v, p, q);
	char text[ENGINE_QUERY_TEXT];

	count_effort(v, p, &before);
	LOG(LOG_SOLVER, 1, "%s: %s in %u events%s, %llu decisions and %llu conflicts so far",
	    engine_query_text(q, text), engine_answer_text[answer], p->cone->count,
	    p->cone->enough ? "" : ", a window", (unsigned long long)v->engine.effort.decisions,
	    (unsigned long long)v->engine.effort.conflicts);
	if (answer == PROVED)
		write_witness(p, q, v->facts.model, w);
	if (answer == REFUTED && p->formula->flat) {
		err_set(&v->engine.why, ERR_LIMIT, "too many branches may go another way");
		return UNDECIDED;
	}
	if (answer == REFUTED && !p->cone->enough) {
		err_set(&v->engine.why, ERR_LIMIT,
			"not possible near the events; beyond is too far");
		return UNDECIDED;
	}
	if (answer == UNDECIDED)
		err_set(&v->engine.why, ERR_LIMIT, "the solver reached its limit");
	return answer;
}

static void forget_whole(struct engine *e)
{
	struct solver *v = (struct solver *)e;

	problem_free(v->whole);
	problem_free(v->stuck_whole);
	problem_free(v->heard);
	v->whole = v->stuck_whole = v->heard = NULL;
	v->heard_by = NULL;
}

static bool fits(const struct cone *c)
{
	uint64_t threads = 1;

	for (uint32_t t = 0; t < c->index->thread_count; t++)
		threads += c->top[t] > c->start[t];
	return c->count * threads <= solver_tune.order_most;
}

static enum answer ask_cone(struct solver *v, struct cone *cone, const struct query *q,
			    struct witness *w)
{
	if (!fits(cone)) {
		cone_free(cone);
		err_set(&v->engine.why, ERR_LIMIT, "too many threads for the solver");
		return UNDECIDED;
	}
	struct problem *p = problem_new(facts_for(v, q), cone, v->engine.options.budget.bytes);
	enum answer answer = try_problem(v, p, q, w);

	problem_free(p);
	return answer;
}

static enum answer ask_whole(struct solver *v, const struct query *q, struct witness *w)
{
	struct problem **whole = bug_facts[q->bug].everyone ? &v->stuck_whole : &v->whole;

	if (!*whole)
		*whole = problem_new(facts_for(v, q), cone_whole(v->facts.index),
				     v->engine.options.budget.bytes);
	return try_problem(v, *whole, q, w);
}

/* Windows that grow, around all its events. */
static enum answer ask_windows_of(struct solver *v, const struct query *q, const uint32_t *events,
				  uint32_t count, struct witness *w, uint32_t most)
{
	const struct index *index = v->facts.index;
	uint32_t a = events[0], b = events[0];
	enum answer answer = UNDECIDED;

	for (uint32_t i = 1; i < count; i++) {
		a = events[i] < a ? events[i] : a;
		b = events[i] > b ? events[i] : b;
	}
	err_set(&v->engine.why, ERR_LIMIT, "the events are too far apart for the solver");
	for (uint32_t size = most < solver_tune.window_first ? most : solver_tune.window_first;
	     answer == UNDECIDED && size <= most; size *= 4) {
		if (b - a + 2 > size || v->facts.model == MODEL_SAID)
			continue;
		uint32_t around = (size - (b - a)) / 2;

		answer =
			ask_cone(v,
				 cone_window(index, a > around ? a - around - 1 : 0,
					     index->count - b > around ? b + around : index->count),
				 q, w);
		if (is_over(v))
			break;
	}
	return answer;
}

static enum answer ask_windows(struct solver *v, const struct query *q, struct witness *w,
			       uint32_t most)
{
	return ask_windows_of(v, q, q->events, q->count, w, most);
}

/*
 * Each acquire of a deadlock wants a lock that the thread of the next one holds when it comes to
 * its own. Those sections are open when all the acquires are next, whatever happened before, so
 * that to be next is all that has to be asked for.
 */
static bool is_ring(const struct solver *v, const struct query *q)
{
	const struct event *events = v->facts.index->events;

	for (uint32_t i = 0; i < q->count; i++) {
		const struct event *e = &events[q->events[i]];
		uint32_t next = q->events[(i + 1) % q->count];
		bool woken = e->kind == EV_WOKEN, shared = e->kind == EV_ACQUIRE_SHARED;

		if (!woken && !shared && e->kind != EV_ACQUIRE)
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (e->thread == events[q->events[k]].thread)
				return false;
		const struct section *held =
			sections_around(v->facts.sections, events[next].thread,
					woken ? e->more->lock : e->object, next);

		if (!held || (held->shared && shared))
			return false;
	}
	return q->count > 1;
}

/* Each can block, and no two are of one thread. */
static bool may_all_wait(const struct solver *v, const struct query *q)
{
	const struct event *events = v->facts.index->events;

	for (uint32_t i = 0; i < q->count; i++) {
		if (!event_blocks(&events[q->events[i]]))
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (events[q->events[i]].thread == events[q->events[k]].thread)
				return false;
	}
	return true;
}

/*
 * All threads matter for a stuck state, so there is no part of a trace that is enough. But what
 * happened up to some place may stay as it is.
 */
static enum answer ask_ends(struct solver *v, const struct query *q, struct witness *w,
			    uint32_t most)
{
	const struct index *index = v->facts.index;
	enum answer answer = UNDECIDED;
	uint32_t first = index->count;

	if (index->count <= most)
		return ask_cone(v, cone_whole(index), q, w);
	for (uint32_t i = 0; i < q->count; i++)
		first = q->events[i] < first ? q->events[i] : first;
	err_set(&v->engine.why, ERR_LIMIT, "too far from the end of the trace for the solver");
	for (uint32_t size = most < solver_tune.window_first ? most : solver_tune.window_first;
	     answer == UNDECIDED && size <= most && !is_over(v); size *= 4) {
		uint32_t low = index->count > size ? index->count - size : 0;

		if (first > low)
			answer = ask_cone(v, cone_window(index, low, index->count), q, w);
	}
	return answer;
}

/* A part of the trace around the events: all that can matter, or windows. */
static enum answer ask_part(struct solver *v, const struct query *q, struct witness *w,
			    uint32_t most)
{
	const struct index *index = v->facts.index;
	struct cone *cone = v->facts.model == MODEL_SAID
				    ? (index->count <= most ? cone_whole(index) : NULL)
				    : cone_enough(&v->facts, q->events, q->count, most);

	if (cone && fits(cone))
		return ask_cone(v, cone, q, w);
	cone_free(cone);
	return ask_windows(v, q, w, most);
}

/* One formula for all questions about a monitor: what was learned for one helps the next. */
static void hear(struct solver *v, const struct monitor *m, uint32_t most)
{
	const struct index *index = v->facts.index;
	VEC(uint32_t) events = {0};

	if (v->heard_by == m)
		return;
	problem_free(v->heard);
	v->heard = NULL;
	v->heard_by = m;
	for (uint32_t n = 1; n <= index->count; n++)
		if (monitor_hears(m, n))
			vec_push(&events, n);
	struct cone *cone = cone_enough(&v->facts, events.at, (uint32_t)events.n, most);

	if (cone && fits(cone))
		v->heard = problem_new(&v->facts, cone, v->engine.options.budget.bytes);
	else
		cone_free(cone);
	vec_release(&events);
}

/*
 * The first event that does not come where it was recorded: what is before it may have happened as
 * it did. The last one that is wanted is there, too.
 */
static uint32_t first_moved(const struct query *q)
{
	uint32_t low = UINT32_MAX;

	for (uint32_t i = 0; i < q->count; i += 2) {
		uint32_t first = q->events[i], second = q->events[i + 1];
		uint32_t least = !second	     ? first
				 : first > second    ? second
				 : i + 2 == q->count ? second
						     : UINT32_MAX;

		low = least < low ? least : low;
	}
	return low < UINT32_MAX ? low : q->events[q->count - 1];
}

static enum answer ask_pairs(struct solver *v, const struct query *q, struct witness *w,
			     uint32_t most)
{
	VEC(uint32_t) events = {0};

	hear(v, v->engine.options.monitor, most);
	if (v->heard)
		return try_problem(v, v->heard, q, w);
	uint32_t low = first_moved(q);

	for (uint32_t i = 0; i < q->count; i++)
		if (q->events[i] >= low && (i % 2 || q->events[i + 1]))
			vec_push(&events, q->events[i]);
	if (!events.n)
		vec_push(&events, low);
	enum answer answer = ask_windows_of(v, q, events.at, (uint32_t)events.n, w, most);

	vec_release(&events);
	return answer;
}

static bool may_be_ordered(const struct solver *v, const struct query *q)
{
	/* in said all events happen: whether some do not is no question */
	ASSERT(v->facts.model != MODEL_SAID && q->count);
	return true;
}

static bool is_any(const struct solver *v, const struct query *q)
{
	(void)v, (void)q;
	return true;
}

static bool may_race(const struct solver *v, const struct query *q)
{
	return q->count == 2 && index_conflict(v->facts.index, q->events[0], q->events[1]);
}

/* Kinds of bug */

static const struct solver_bug bugs[] = {
	[BUG_RACE] = {may_race, count_events, want_ready, ask_part, true, true},
	[BUG_DEADLOCK] = {is_ring, count_events, want_ready, ask_part, true, true},
	[BUG_STUCK] = {may_all_wait, count_events, want_waits, ask_ends, true, true},
	[BUG_PROPERTY] = {may_be_ordered, count_pairs, want_pair, ask_pairs, false, false},
	/* engine_ask knows which can be one */
	[BUG_ATOMICITY] = {is_any, count_links, want_link, ask_part, false, true},
	[BUG_CHOICE] = {0}, /* src/hunt asks in other words */
};
BUG_ROWS_ARE_ALL(bugs);

static const struct solver_bug *bug_of(const struct query *q)
{
	return &bugs[q->bug];
}

static enum answer ask_solver(struct engine *e, const struct query *q, struct witness *w)
{
	struct solver *v = (struct solver *)e;
	const struct index *index = v->facts.index;
	uint32_t most = e->options.cone ? e->options.cone : solver_tune.cone_most;

	/* model said completes every execution: nobody blocks in the end */
	if ((bug_facts[q->bug].blocks && v->facts.model == MODEL_SAID) ||
	    !bug_of(q)->is_possible(v, q))
		return REFUTED;
	v->deadline =
		e->options.budget.seconds > 0 ? seconds_spent() + e->options.budget.seconds : 0;
	if (index->count <= solver_tune.whole_most && index->count <= most)
		return ask_whole(v, q, w);
	return bug_of(q)->ask(v, q, w, most);
}

static struct engine *start_solver(const struct index *index, const struct engine_options *options,
				   struct err *err)
{
	struct solver *v = mem_alloc_zero(1, sizeof(*v));

	(void)err;
	v->needs = needs_new(index);
	v->sections = sections_of(index);
	v->facts = (struct cone_facts){.index = index,
				       .needs = v->needs,
				       .sections = v->sections,
				       .model = options->model,
				       .endless = options->endless};
	return &v->engine;
}

static void finish_solver(struct engine *e)
{
	struct solver *v = (struct solver *)e;

	forget_whole(e);
	needs_free(v->needs);
	needs_free(v->early_needs);
	mem_free(v);
}

const struct engine_kind engine_solver = {
	.name = "solver",
	.title = "clauses over the order of events, with the built-in solver",
	.bugs = BUG_BIT(BUG_RACE) | BUG_BIT(BUG_DEADLOCK) | BUG_BIT(BUG_STUCK) |
		BUG_BIT(BUG_ATOMICITY),
	.start = start_solver,
	.ask = ask_solver,
	.forget = forget_whole,
	.finish = finish_solver,
};

const struct engine_kind engine_order = {
	.name = "order",
	.title = "the same, asked about the order of some events",
	.bugs = BUG_BIT(BUG_PROPERTY),
	.start = start_solver,
	.ask = ask_solver,
	.forget = forget_whole,
	.finish = finish_solver,
};
