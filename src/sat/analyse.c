/*
 * From a conflict to a clause: reasons are put in place of literals of the last level until one
 * is left; then literals go that follow from others.
 */
#include "sat/parts.h"

#define DEPTH_MOST 500 /* of reasons of reasons */

static void explain(struct cdcl *c, lit l)
{
	struct assignment *v = assignment_of(c, l);

	if (v->explained_in == c->conflict)
		return;
	c->why.at.n = 0;
	c->theory.explain(c->theory.context, l, &c->why);
	v->explained_in = c->conflict;
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
 * True: it is of this level, and met for the first time. Those of others are learned, or their
 * reasons are.
 */
static bool meet(struct cdcl *c, lit l, uint32_t level)
{
	struct assignment *v = assignment_of(c, l);
	lit other;

	if (!v->level || v->seen == c->conflict)
		return false;
	v->seen = c->conflict;
	decide_bump(c, lit_variable(l));
	if (v->level == level)
		return true;
	if (!is_detail(c, l)) {
		vec_push(&c->lesson.at, l);
		return false;
	}
	for (uint32_t i = 0; (other = reason_literal(c, -l, i)); i++)
		meet(c, other, level);
	return false;
}

static uint32_t meet_reason(struct cdcl *c, lit l, uint32_t level)
{
	const struct assignment *v = assignment_of(c, l);
	uint32_t met = 0;
	lit other;

	if (v->reason >= FIRST_CLAUSE)
		clause_at(c, v->reason)->used = 1;
	for (uint32_t i = 0; (other = reason_literal(c, l, i)); i++)
		met += meet(c, other, level);
	return met;
}

static bool follows(struct cdcl *c, lit l, uint32_t depth);

/* Do all literals of its reason follow from the lesson? */
static bool reason_follows(struct cdcl *c, lit l, uint32_t depth)
{
	lit other;

	if (assignment_of(c, l)->reason == REASON_NONE || depth == DEPTH_MOST)
		return false;
	for (uint32_t i = 0; (other = reason_literal(c, -l, i)); i++)
		if (!follows(c, other, depth + 1))
			return false;
	return true;
}

static bool follows(struct cdcl *c, lit l, uint32_t depth)
{
	struct assignment *v = assignment_of(c, l);

	if (!v->level || v->seen == c->conflict || v->follows == c->conflict)
		return true;
	if (v->follows_not == c->conflict)
		return false;
	bool good = reason_follows(c, l, depth);

	if (good)
		v->follows = c->conflict;
	else
		v->follows_not = c->conflict;
	return good;
}

static void shorten(struct cdcl *c)
{
	size_t kept = 1;

	for (size_t i = 1; i < c->lesson.at.n; i++)
		if (!reason_follows(c, c->lesson.at.at[i], 0))
			c->lesson.at.at[kept++] = c->lesson.at.at[i];
	c->lesson.at.n = kept;
}

static uint32_t count_levels(struct cdcl *c)
{
	uint32_t count = 0;

	vec_extend(&c->glue_seen, c->levels.n + 1);
	for (size_t i = 0; i < c->lesson.at.n; i++) {
		uint32_t *seen = &c->glue_seen.at[assignment_of(c, c->lesson.at.at[i])->level];

		count += *seen != c->conflict;
		*seen = c->conflict;
	}
	return count;
}

/* The highest level of the other literals; that one comes second, to be watched. */
static uint32_t level_to_keep(struct cdcl *c)
{
	lit *l = c->lesson.at.at;
	size_t best = 1;

	if (c->lesson.at.n == 1)
		return 0;
	for (size_t i = 2; i < c->lesson.at.n; i++)
		if (assignment_of(c, l[i])->level > assignment_of(c, l[best])->level)
			best = i;
	lit swap = l[1];

	l[1] = l[best];
	l[best] = swap;
	return assignment_of(c, l[1])->level;
}

uint32_t learn(struct cdcl *c, uint32_t *glue)
{
	uint32_t level = (uint32_t)c->levels.n;
	size_t place = c->trail.n;
	uint32_t open = 0;

	c->explanations.at.n = 0;
	c->lesson.at.n = 0;
	vec_push(&c->lesson.at, 0);
	for (size_t i = 0; i < c->broken.at.n; i++)
		open += meet(c, c->broken.at.at[i], level);
	for (;;) {
		ASSERT(open);
		while (assignment_of(c, c->trail.at[--place])->seen != c->conflict)
			;
		if (!--open)
			break;
		open += meet_reason(c, c->trail.at[place], level);
	}
	c->lesson.at.at[0] = -c->trail.at[place];
	shorten(c);
	*glue = count_levels(c);
	return level_to_keep(c);
}
