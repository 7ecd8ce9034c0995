/* SPDX-License-Identifier: MIT */
/* The clause solver against brute force, clause after clause, under assumptions. */
#include "sat/cdcl.h"

#include "tests/support/random.h"
#include "tests/support/tap.h"

#define VARIABLES 9
#define CLAUSES 60
#define SIZE 4

static bool accept_literal(void *context, lit l)
{
	(void)context, (void)l;
	return true;
}

static bool accept_all(void *context)
{
	(void)context;
	return true;
}

static void see_level(void *context)
{
	(void)context;
}

static void see_undo(void *context, uint32_t levels)
{
	(void)context, (void)levels;
}

static void explain_nothing(void *context, lit l, struct lits *why)
{
	(void)context, (void)why;
	FAIL("nothing was implied, also not %d", l);
}

static bool is_idle(void *context, lit variable)
{
	(void)context, (void)variable;
	return false;
}

static bool is_detail(void *context, lit l)
{
	(void)context, (void)l;
	return false;
}

static void see_watch(void *context, lit variable, bool in_clauses)
{
	(void)context, (void)variable, (void)in_clauses;
}

static const struct cdcl_theory no_theory = {
	NULL,	 accept_literal, accept_all, see_level, see_undo, explain_nothing,
	is_idle, is_detail,	 see_watch,
};

static bool is_never_over(void *context)
{
	(void)context;
	return false;
}

struct problem {
	lit clauses[CLAUSES][SIZE]; /* 0: no more */
	uint32_t count;
	lit assumed[3];
	uint32_t assumed_count;
};

static bool is_true(uint32_t values, lit l)
{
	bool value = values >> (lit_variable(l) - 1) & 1;

	return l > 0 ? value : !value;
}

static bool is_solution(const struct problem *p, uint32_t values)
{
	for (uint32_t i = 0; i < p->assumed_count; i++)
		if (!is_true(values, p->assumed[i]))
			return false;
	for (uint32_t i = 0; i < p->count; i++) {
		bool good = false;

		for (uint32_t k = 0; k < SIZE && p->clauses[i][k]; k++)
			good |= is_true(values, p->clauses[i][k]);
		if (!good)
			return false;
	}
	return true;
}

static bool has_solution(const struct problem *p)
{
	for (uint32_t values = 0; values < 1u << VARIABLES; values++)
		if (is_solution(p, values))
			return true;
	return false;
}

static lit random_literal(struct random *r)
{
	lit variable = (lit)random_below(r, VARIABLES) + 1;

	return random_below(r, 2) ? variable : -variable;
}

static void add_clause(struct problem *p, struct cdcl *c, struct random *r)
{
	uint32_t size = random_percent(r, 3) ? 1 : 2 + random_below(r, SIZE - 1);
	lit *clause = p->clauses[p->count++];

	for (uint32_t k = 0; k < SIZE; k++)
		clause[k] = k < size ? random_literal(r) : 0;
	cdcl_clause(c, clause, size);
}

static void solve_and_compare(struct problem *p, struct cdcl *c, struct random *r)
{
	uint32_t values = 0;

	p->assumed_count = random_below(r, 4);
	for (uint32_t i = 0; i < p->assumed_count; i++) {
		p->assumed[i] = random_literal(r);
		cdcl_assume(c, p->assumed[i]);
	}
	enum sat_answer answer = cdcl_solve(c, is_never_over, NULL);

	ASSERT_EQ(answer, has_solution(p) ? SAT_SATISFIABLE : SAT_UNSATISFIABLE);
	if (answer != SAT_SATISFIABLE)
		return;
	for (lit v = 1; v <= VARIABLES; v++) {
		ASSERT_TRUE(cdcl_value(c, v));
		ASSERT_EQ(cdcl_value(c, -v), -cdcl_value(c, v));
		values |= (uint32_t)(cdcl_value(c, v) > 0) << (v - 1);
	}
	ASSERT_TRUE(is_solution(p, values));
}

TAP_CASE(random_clauses)
{
	for (uint64_t seed = 1; seed <= (uint64_t)TAP_PART(3000); seed++) {
		struct random r = random_seeded(seed);
		struct problem p = {0};
		struct cdcl *c = cdcl_new(VARIABLES, &no_theory);

		tap_at("seed %lu", (unsigned long)seed);
		while (p.count < CLAUSES) {
			add_clause(&p, c, &r);
			if (random_percent(&r, 30))
				solve_and_compare(&p, c, &r);
		}
		cdcl_free(c);
	}
}

/* That many pigeons have no place in one hole less: long enough for clauses to be dropped. */
TAP_CASE(pigeons)
{
	enum { PIGEONS = 8, HOLES = 7 };
	struct cdcl *c = cdcl_new(PIGEONS * HOLES + 1, &no_theory);
	lit open = PIGEONS * HOLES + 1; /* an assumption, without which all is well */

	for (lit p = 0; p < PIGEONS; p++) {
		lit somewhere[HOLES + 1];

		for (lit h = 0; h < HOLES; h++)
			somewhere[h] = p * HOLES + h + 1;
		somewhere[HOLES] = -open;
		cdcl_clause(c, somewhere, HOLES + 1);
	}
	for (lit h = 0; h < HOLES; h++)
		for (lit p = 0; p < PIGEONS; p++)
			for (lit q = 0; q < p; q++)
				cdcl_clause(
					c,
					(const lit[]){-(p * HOLES + h + 1), -(q * HOLES + h + 1)},
					2);
	for (int round = 0; round < 2; round++) {
		cdcl_assume(c, open);
		ASSERT_EQ(cdcl_solve(c, is_never_over, NULL), SAT_UNSATISFIABLE);
		ASSERT_EQ(cdcl_solve(c, is_never_over, NULL), SAT_SATISFIABLE);
	}
	ASSERT_TRUE(cdcl_counts(c)->conflicts > 2000);
	cdcl_free(c);
}

static bool is_over_soon(void *context)
{
	uint32_t *left = context;

	return *left == 0 || --*left == 0;
}

TAP_CASE(it_can_be_stopped_and_go_on)
{
	struct random r = random_seeded(7);
	enum { MANY = 200 };
	struct cdcl *c = cdcl_new(MANY, &no_theory);
	uint32_t left = 1;

	for (int i = 0; i < 4 * MANY; i++) {
		lit clause[3];

		for (int k = 0; k < 3; k++) {
			clause[k] = (lit)random_below(&r, MANY) + 1;
			clause[k] = random_below(&r, 2) ? clause[k] : -clause[k];
		}
		cdcl_clause(c, clause, 3);
	}
	enum sat_answer stopped = cdcl_solve(c, is_over_soon, &left);
	enum sat_answer answer = cdcl_solve(c, is_never_over, NULL);

	ASSERT_TRUE(answer != SAT_UNKNOWN);
	ASSERT_TRUE(stopped == SAT_UNKNOWN || stopped == answer);
	cdcl_free(c);
}
