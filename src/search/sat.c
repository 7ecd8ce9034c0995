#include "search/sat.h"

#include "base/seconds.h"

#include <ccadical.h>
#include <malloc.h>

struct sat {
	CCaDiCaL *solver;
	lit last;	 /* variable */
	VEC(lit) clause; /* so far */
	bool absurd;	 /* the empty clause was added, or false assumed */
	bool assumed_false;
	uint64_t clauses;
	const struct budget *budget;
	double deadline;
	uint32_t polls;
	uint64_t heap_before;
	bool full; /* it took more memory than the budget has */
};

bool budget_ended(const struct budget *budget, double deadline)
{
	if (budget->stop && *budget->stop)
		return true;
	return deadline > 0 && seconds_now() > deadline;
}

/* What the heap holds, large pieces too. */
static uint64_t heap_bytes(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* Asked by the solver every few steps; the clock and the heap cost more than that is worth. */
static int is_over(void *context)
{
	struct sat *s = context;

	if (++s->polls % 256)
		return 0;
	s->full |= s->budget->bytes && heap_bytes() > s->heap_before + s->budget->bytes;
	return s->full || budget_ended(s->budget, s->deadline);
}

struct sat *sat_new(uint32_t first, uint32_t way)
{
	struct sat *s = mem_alloc_zero(1, sizeof(*s));

	s->heap_before = heap_bytes();
	s->solver = ccadical_init();
	ccadical_set_option(s->solver, "quiet", 1); /* stdout is not for its remarks */
	s->last = (lit)first;
	/* false is tried first, and in some ways always: formulas are made so that it is likely */
	ccadical_set_option(s->solver, "phase", 0);
	ccadical_set_option(s->solver, "rephase", 0);
	ccadical_set_option(s->solver, "forcephase", way != 1);
	ccadical_set_option(s->solver, "reverse", way == 2);
	/* a formula is solved again and again with a little more: what costs time each time */
	ccadical_set_option(s->solver, "lucky", 0);
	ccadical_set_option(s->solver, "walk", 0);
	ccadical_set_option(s->solver, "elim", 0);
	ccadical_set_terminate(s->solver, s, is_over);
	return s;
}

void sat_free(struct sat *s)
{
	if (!s)
		return;
	ccadical_release(s->solver);
	vec_release(&s->clause);
	mem_free(s);
}

lit sat_variable(struct sat *s)
{
	return ++s->last;
}

void sat_or(struct sat *s, lit l)
{
	vec_push(&s->clause, l);
}

void sat_clause(struct sat *s, const lit *l, size_t n)
{
	bool empty = true;

	for (size_t i = 0; i < n; i++)
		if (l[i] == LIT_TRUE)
			return;
	for (size_t i = 0; i < n; i++)
		if (l[i] != LIT_FALSE) {
			ccadical_add(s->solver, l[i]);
			empty = false;
		}
	ccadical_add(s->solver, 0);
	s->absurd |= empty;
	s->clauses++;
}

void sat_end(struct sat *s)
{
	sat_clause(s, s->clause.at, s->clause.n);
	s->clause.n = 0;
}

void sat_imply(struct sat *s, lit a, lit b)
{
	sat_clause(s, (const lit[]){-a, b}, 2);
}

void sat_fact(struct sat *s, lit l)
{
	sat_imply(s, LIT_TRUE, l);
}

/* With a variable for each place: one of those up to here holds. */
void sat_at_most_one(struct sat *s, const lit *l, size_t n)
{
	lit before = LIT_FALSE;

	for (size_t i = 0; i < n; i++) {
		sat_imply(s, before, -l[i]);
		if (i + 1 == n)
			break;
		lit here = sat_variable(s);

		sat_imply(s, before, here);
		sat_imply(s, l[i], here);
		before = here;
	}
}

uint64_t sat_clause_count(const struct sat *s)
{
	return s->clauses;
}

void sat_assume(struct sat *s, lit l)
{
	if (l == LIT_FALSE)
		s->assumed_false = true;
	else if (l != LIT_TRUE)
		ccadical_assume(s->solver, l);
}

enum answer sat_solve(struct sat *s, const struct budget *budget, double deadline)
{
	s->budget = budget;
	s->deadline = deadline;
	if (s->assumed_false || s->absurd) {
		s->assumed_false = false;
		return REFUTED;
	}
	switch (ccadical_solve(s->solver)) {
	case 10: return PROVED;
	case 20: return REFUTED;
	default: return UNDECIDED;
	}
}

bool sat_is_full(const struct sat *s)
{
	return s->full;
}

bool sat_true(struct sat *s, lit l)
{
	if (l == LIT_TRUE || l == LIT_FALSE)
		return l == LIT_TRUE;
	return ccadical_val(s->solver, l) > 0;
}
