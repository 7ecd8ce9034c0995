/* SPDX-License-Identifier: MIT */
/*
 * Conflict analysis, to the first unique implication point: reasons are put in place of literals
 * of the last level until one is left. Then the learned clause is minimised: literals go that
 * follow from others.
 */
#include "sat/parts.h"

static void explain(struct cdcl *c, lit l)
{
	struct assignment *v = assignment_of(c, l);

	if (v->explained_in == c->conflict_number)
		return;
	c->why.at.n = 0;
	c->theory.explain(c->theory.context, l, &c->why);
	v->explained_in = c->conflict_number;
	v->explained = (uint32_t)c->explanations.at.n;
	for (size_t i = 0; i < c->why.at.n; i++)
		vec_push(&c->explanations.at, -c->why.at.at[i]);
	vec_push(&c->explanations.at, 0);
}

/* Literal i, all false, of why l, which is true, is so; 0: no more. */
static lit reason_literal(struct cdcl *c, lit l, uint32_t i)
{
	const struct assignment *v = assignment_of(c, l);

	if (v->reason == REASON_THEORY) {
		explain(c, l);
		return c->explanations.at.at[v->explained + i];
	}
	const struct clause *clause = clause_at(c, v->reason);

	/* what a clause has made true is its first literal */
	return i + 1 < clause->size ? clause->lits[i + 1] : 0;
}

static bool is_detail(const struct cdcl *c, lit l)
{
	return assignment_of(c, l)->reason == REASON_THEORY &&
	       c->theory.is_detail(c->theory.context, l);
}

/*
 * True: it is of this level, and seen for the first time. Those of others are learned, or their
 * reasons are.
 */
static bool analyse_literal(struct cdcl *c, lit l, uint32_t level)
{
	struct assignment *v = assignment_of(c, l);
	lit other;

	if (!v->level || v->seen == c->conflict_number)
		return false;
	v->seen = c->conflict_number;
	cdcl_bump(c, lit_variable(l));
	if (v->level == level)
		return true;
	if (!is_detail(c, l)) {
		vec_push(&c->learned_clause.at, l);
		return false;
	}
	for (uint32_t i = 0; (other = reason_literal(c, -l, i)); i++)
		analyse_literal(c, other, level);
	return false;
}

static uint32_t analyse_reason(struct cdcl *c, lit l, uint32_t level)
{
	const struct assignment *v = assignment_of(c, l);
	uint32_t met = 0;
	lit other;

	if (v->reason >= FIRST_CLAUSE)
		clause_at(c, v->reason)->used = 1;
	for (uint32_t i = 0; (other = reason_literal(c, l, i)); i++)
		met += analyse_literal(c, other, level);
	return met;
}

static bool is_removable(struct cdcl *c, lit l, uint32_t depth);

/* Do all literals of its reason follow from the learned clause? */
static bool is_redundant(struct cdcl *c, lit l, uint32_t depth)
{
	lit other;

	if (assignment_of(c, l)->reason == REASON_NONE || depth == sat_tune.minimise_depth)
		return false;
	for (uint32_t i = 0; (other = reason_literal(c, -l, i)); i++)
		if (!is_removable(c, other, depth + 1))
			return false;
	return true;
}

static bool is_removable(struct cdcl *c, lit l, uint32_t depth)
{
	struct assignment *v = assignment_of(c, l);

	if (!v->level || v->seen == c->conflict_number || v->removable == c->conflict_number)
		return true;
	if (v->poisoned == c->conflict_number)
		return false;
	bool good = is_redundant(c, l, depth);

	if (good)
		v->removable = c->conflict_number;
	else
		v->poisoned = c->conflict_number;
	return good;
}

static void minimise(struct cdcl *c)
{
	size_t kept = 1;

	for (size_t i = 1; i < c->learned_clause.at.n; i++)
		if (!is_redundant(c, c->learned_clause.at.at[i], 0))
			c->learned_clause.at.at[kept++] = c->learned_clause.at.at[i];
	c->learned_clause.at.n = kept;
}

static uint32_t count_levels(struct cdcl *c)
{
	uint32_t count = 0;

	vec_extend(&c->glue_seen, c->levels.n + 1);
	for (size_t i = 0; i < c->learned_clause.at.n; i++) {
		uint32_t *seen =
			&c->glue_seen.at[assignment_of(c, c->learned_clause.at.at[i])->level];

		count += *seen != c->conflict_number;
		*seen = c->conflict_number;
	}
	return count;
}

/* The highest level of the other literals; that one comes second, to be watched. */
static uint32_t level_to_keep(struct cdcl *c)
{
	lit *l = c->learned_clause.at.at;
	size_t best = 1;

	if (c->learned_clause.at.n == 1)
		return 0;
	for (size_t i = 2; i < c->learned_clause.at.n; i++)
		if (assignment_of(c, l[i])->level > assignment_of(c, l[best])->level)
			best = i;
	lit swap = l[1];

	l[1] = l[best];
	l[best] = swap;
	return assignment_of(c, l[1])->level;
}

uint32_t cdcl_analyse(struct cdcl *c, uint32_t *glue)
{
	uint32_t level = (uint32_t)c->levels.n;
	size_t place = c->trail.n;
	uint32_t open = 0;

	c->explanations.at.n = 0;
	c->learned_clause.at.n = 0;
	vec_push(&c->learned_clause.at, 0);
	for (size_t i = 0; i < c->conflict.at.n; i++)
		open += analyse_literal(c, c->conflict.at.at[i], level);
	for (;;) {
		ASSERT(open);
		while (assignment_of(c, c->trail.at[--place])->seen != c->conflict_number)
			;
		if (!--open)
			break;
		open += analyse_reason(c, c->trail.at[place], level);
	}
	c->learned_clause.at.at[0] = -c->trail.at[place];
	minimise(c);
	*glue = count_levels(c);
	return level_to_keep(c);
}
