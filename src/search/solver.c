/*
 * The ordering solver: a query as clauses over a cone (search/formula.h), solved by
 * CaDiCaL; the solution made a schedule; the schedule tried; what was missing added as
 * clauses, until there is an execution or no solution.
 *
 * A small trace is one cone, and one formula for all queries: what was learned for one
 * helps the next. In a long one each query gets a cone of its own: all that can matter, if
 * that is not too much, else windows around its events, of which only a success counts.
 */
#include "base/seconds.h"
#include "search/sweep.h"

#include <string.h>

#define WHOLE_MOST 4096
#define CONE_MOST 20000
#define WINDOW_FIRST 1000

struct problem {
	struct cone *cone;
	struct formula *formula;
	struct timeline *timeline;
	struct sweep *sweep;
};

struct solver {
	struct engine engine;
	struct needs *needs;
	struct sections *sections;
	struct cone_facts facts;
	struct problem *whole; /* of a small trace; NULL: not asked so far */
	double deadline;
};

static struct problem *problem_new(const struct cone_facts *facts, struct cone *cone)
{
	struct problem *p = mem_alloc_zero(1, sizeof(*p));

	p->cone = cone;
	p->formula = formula_new(facts, cone);
	p->timeline = timeline_new(p->formula);
	p->sweep = sweep_new(p->formula);
	return p;
}

static void problem_free(struct problem *p)
{
	if (!p)
		return;
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

	s->pair[0] = cone_node(p->cone, q->events[0]);
	s->pair[1] = cone_node(p->cone, q->events[1]);
	s->adjacent = sat_variable(p->formula->sat);
}

/* Solutions are looked for where they are simple first; the last stage has them all. */
enum stage { STAGE_RECORDED, STAGE_NOT_COMPUTED, STAGE_ALL };

static void assume(struct problem *p, const struct query *q, const lit *ready, enum stage stage)
{
	struct formula *f = p->formula;

	if (p->timeline->adjacent)
		sat_assume(f->sat, p->timeline->adjacent);
	else
		for (uint32_t i = 0; i < q->count; i++)
			sat_assume(f->sat, ready[i]);
	if (stage == STAGE_RECORDED)
		sat_assume(f->sat, -f->other_source);
	if (stage < STAGE_ALL)
		sat_assume(f->sat, -f->computing);
}

static enum answer solve_stage(struct solver *v, struct problem *p, const struct query *q,
			       const lit *ready, enum stage stage)
{
	uint32_t reached = p->timeline->adjacent ? 0 : q->count;

	for (;;) {
		if (budget_ended(&v->engine.options.budget, v->deadline))
			return UNDECIDED;
		assume(p, q, ready, stage);
		enum answer answer =
			sat_solve(p->formula->sat, &v->engine.options.budget, v->deadline);

		if (answer != PROVED)
			return answer;
		if (timeline_make(p->timeline) &&
		    sweep_run(p->sweep, p->timeline, q->events, reached))
			return PROVED;
	}
}

static enum answer solve(struct solver *v, struct problem *p, const struct query *q)
{
	enum answer answer = REFUTED;
	enum stage last = v->facts.model == MODEL_PREDICTABLE ? STAGE_RECORDED
			  : v->facts.model == MODEL_VALUES    ? STAGE_ALL
							      : STAGE_NOT_COMPUTED;
	lit ready[2] = {0};

	if (v->facts.model == MODEL_SAID)
		ask_adjacent(p, q);
	else
		for (uint32_t i = 0; i < q->count; i++)
			ready[i] = formula_ready(p->formula, q->events[i]);
	for (enum stage stage = STAGE_RECORDED; answer == REFUTED && stage <= last; stage++)
		answer = solve_stage(v, p, q, ready, stage);
	return answer;
}

static void write_witness(const struct problem *p, const struct query *q, enum model model,
			  struct witness *w)
{
	const struct timeline *s = p->timeline;
	bool in_rest = false;

	w->model = model;
	w->bug = q->bug;
	for (uint32_t i = 0; i < q->count; i++)
		vec_push(&w->bug_events, q->events[i]);
	for (uint32_t n = 1; n <= p->cone->low; n++)
		vec_push(&w->run, n);
	for (size_t i = 0; i < s->order.n; i++) {
		uint32_t node = s->order.at[i], event = p->cone->event[node];

		in_rest |= s->adjacent && (node == s->pair[0] || node == s->pair[1]);
		if (in_rest)
			vec_push(&w->rest, event);
		else
			vec_push(&w->run, event);
	}
}

static enum answer try_cone(struct solver *v, struct problem *p, const struct query *q,
			    struct witness *w)
{
	enum answer answer = solve(v, p, q);

	if (answer == PROVED)
		write_witness(p, q, v->facts.model, w);
	if (answer == REFUTED && !p->cone->enough) {
		err_set(&v->engine.why, ERR_LIMIT,
			"not possible near the two events; beyond is too far");
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
	v->whole = NULL;
}

static enum answer ask_whole(struct solver *v, const struct query *q, struct witness *w)
{
	if (!v->whole)
		v->whole = problem_new(&v->facts, cone_whole(v->facts.index));
	enum answer answer = try_cone(v, v->whole, q, w);

	/* what was interrupted may have left a solution half looked at */
	if (answer == UNDECIDED)
		forget_whole(&v->engine);
	return answer;
}

static enum answer ask_cone(struct solver *v, struct cone *cone, const struct query *q,
			    struct witness *w)
{
	struct problem *p = problem_new(&v->facts, cone);
	enum answer answer = try_cone(v, p, q, w);

	problem_free(p);
	return answer;
}

/* Windows that grow, around both events. */
static enum answer ask_windows(struct solver *v, const struct query *q, struct witness *w,
			       uint32_t most)
{
	const struct index *index = v->facts.index;
	uint32_t a = q->events[0], b = q->events[0];
	enum answer answer = UNDECIDED;

	for (uint32_t i = 1; i < q->count; i++) {
		a = q->events[i] < a ? q->events[i] : a;
		b = q->events[i] > b ? q->events[i] : b;
	}
	err_set(&v->engine.why, ERR_LIMIT, "the two events are %u events apart", b - a);
	for (uint32_t size = most < WINDOW_FIRST ? most : WINDOW_FIRST;
	     answer == UNDECIDED && size <= most; size *= 4) {
		if (b - a + 2 > size || v->facts.model == MODEL_SAID)
			continue;
		uint32_t around = (size - (b - a)) / 2;

		answer =
			ask_cone(v,
				 cone_window(index, a > around ? a - around - 1 : 0,
					     index->count - b > around ? b + around : index->count),
				 q, w);
		if (budget_ended(&v->engine.options.budget, v->deadline))
			break;
	}
	return answer;
}

static enum answer ask_solver(struct engine *e, const struct query *q, struct witness *w)
{
	struct solver *v = (struct solver *)e;
	const struct index *index = v->facts.index;
	uint32_t most = e->options.cone ? e->options.cone : CONE_MOST;

	if (q->bug != BUG_RACE || q->count != 2) {
		err_set(&e->why, ERR_USAGE, "the solver knows races only");
		return UNDECIDED;
	}
	if (!index_conflict(index, q->events[0], q->events[1]))
		return REFUTED;
	v->deadline = e->options.budget.seconds > 0 ? seconds_now() + e->options.budget.seconds : 0;
	if (index->count <= WHOLE_MOST && index->count <= most)
		return ask_whole(v, q, w);
	struct cone *cone = v->facts.model == MODEL_SAID
				    ? (index->count <= most ? cone_whole(index) : NULL)
				    : cone_enough(&v->facts, q->events, q->count, most);

	return cone ? ask_cone(v, cone, q, w) : ask_windows(v, q, w, most);
}

static struct engine *start_solver(const struct index *index, const struct engine_options *options,
				   struct err *err)
{
	struct solver *v = mem_alloc_zero(1, sizeof(*v));

	(void)err;
	v->needs = needs_new(index);
	v->sections = sections_new(index);
	v->facts = (struct cone_facts){index, v->needs, v->sections, options->model};
	return &v->engine;
}

static void finish_solver(struct engine *e)
{
	struct solver *v = (struct solver *)e;

	problem_free(v->whole);
	needs_free(v->needs);
	sections_free(v->sections);
	mem_free(v);
}

const struct engine_kind engine_solver = {
	.name = "solver",
	.title = "orders of events, by clauses",
	.start = start_solver,
	.ask = ask_solver,
	.forget = forget_whole,
	.finish = finish_solver,
};
