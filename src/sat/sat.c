/* SPDX-License-Identifier: MIT */
#include "sat/sat.h"

#include <malloc.h>

struct sat {
	struct cdcl *cdcl;
	struct lits clause; /* so far */
	struct lits kept;   /* of a clause, without constants */
	lit never;	    /* LIT_FALSE, as an assumption; 0: not so far */
	const struct budget *budget;
	double deadline;
	uint32_t polls;
	uint64_t heap_before;
	bool full; /* it took more memory than the budget has */
};

/* What the heap holds, large pieces too. */
static uint64_t heap_bytes(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* Asked by the solver every few steps; to look at the heap costs more than that is worth. */
static bool is_over(void *context)
{
	struct sat *s = context;

	if (++s->polls % 256 == 0 && s->budget->bytes)
		s->full |= heap_bytes() > s->heap_before + s->budget->bytes;
	return s->full || budget_ended(s->budget, s->deadline);
}

struct sat *sat_new(uint32_t first, const struct cdcl_theory *theory, bool limited)
{
	struct sat *s = mem_alloc_zero(1, sizeof(*s));

	s->heap_before = limited ? heap_bytes() : 0;
	s->cdcl = cdcl_new(first, theory);
	return s;
}

void sat_free(struct sat *s)
{
	if (!s)
		return;
	cdcl_free(s->cdcl);
	vec_release(&s->clause.at);
	vec_release(&s->kept.at);
	mem_free(s);
}

struct cdcl *sat_core(struct sat *s)
{
	return s->cdcl;
}

lit sat_variable(struct sat *s)
{
	return cdcl_variable(s->cdcl);
}

void sat_or(struct sat *s, lit l)
{
	vec_push(&s->clause.at, l);
}

void sat_clause(struct sat *s, const lit *l, size_t n)
{
	s->kept.at.n = 0;
	for (size_t i = 0; i < n; i++) {
		if (l[i] == LIT_TRUE)
			return;
		if (l[i] != LIT_FALSE)
			vec_push(&s->kept.at, l[i]);
	}
	cdcl_clause(s->cdcl, s->kept.at.at, s->kept.at.n);
}

void sat_end(struct sat *s)
{
	sat_clause(s, s->clause.at.at, s->clause.at.n);
	s->clause.at.n = 0;
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

void sat_assume(struct sat *s, lit l)
{
	if (l == LIT_FALSE && !s->never) { /* a variable that stands for it */
		s->never = sat_variable(s);
		sat_fact(s, -s->never);
	}
	if (l != LIT_TRUE)
		cdcl_assume(s->cdcl, l == LIT_FALSE ? s->never : l);
}

enum sat_answer sat_solve(struct sat *s, const struct budget *budget, double deadline)
{
	s->budget = budget;
	s->deadline = deadline;
	return cdcl_solve(s->cdcl, is_over, s);
}

const struct cdcl_counts *sat_counts(const struct sat *s)
{
	return cdcl_counts(s->cdcl);
}

bool sat_true(struct sat *s, lit l)
{
	if (l == LIT_TRUE || l == LIT_FALSE)
		return l == LIT_TRUE;
	return cdcl_value(s->cdcl, l) > 0;
}
