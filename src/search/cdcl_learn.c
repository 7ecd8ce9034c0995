/*
 * From a conflict to a clause: reasons are put in place of literals of the last level until one
 * is left; then literals go that follow from others.
 */
#include "search/cdcl_parts.h"

/* The literals, all false, that gave l its value. */
struct reason {
	const lit *lits;
	size_t n;
};

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

/* l is true, for a reason. */
static struct reason reason_of(struct cdcl *c, lit l)
{
	const struct assignment *v = assignment_of(c, l);

	if (v->reason == REASON_THEORY) {
		explain(c, l);
		struct reason r = {c->explanations.at.at + v->explained, 0};

		while (r.lits[r.n])
			r.n++;
		return r;
	}
	struct clause *clause = clause_at(c, v->reason);

	clause->used = 1;
	/* what a clause has made true is its first literal */
	return (struct reason){clause->lits + 1, clause->size - 1};
}

/* Counts the literals of this level that are met for the first time; others are learned. */
static uint32_t meet(struct cdcl *c, const struct reason *r, uint32_t level)
{
	uint32_t met = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct assignment *v = assignment_of(c, r->lits[i]);

		if (!v->level || v->seen == c->conflict)
			continue;
		v->seen = c->conflict;
		decide_bump(c, lit_variable(r->lits[i]));
		if (v->level == level)
			met++;
		else
			vec_push(&c->lesson.at, r->lits[i]);
	}
	return met;
}

/* In one step, from others of the lesson, or from what these came in place of. */
static bool follows(struct cdcl *c, lit l)
{
	if (assignment_of(c, l)->reason == REASON_NONE)
		return false;
	struct reason r = reason_of(c, -l);

	for (size_t i = 0; i < r.n; i++) {
		const struct assignment *v = assignment_of(c, r.lits[i]);

		if (v->level && v->seen != c->conflict)
			return false;
	}
	return true;
}

static void shorten(struct cdcl *c)
{
	size_t kept = 1;

	for (size_t i = 1; i < c->lesson.at.n; i++)
		if (!follows(c, c->lesson.at.at[i]))
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
	struct reason r = {c->broken.at.at, c->broken.at.n};
	size_t place = c->trail.n;
	uint32_t open = 0;

	c->explanations.at.n = 0;
	c->lesson.at.n = 0;
	vec_push(&c->lesson.at, 0);
	for (;;) {
		open += meet(c, &r, level);
		ASSERT(open);
		while (assignment_of(c, c->trail.at[--place])->seen != c->conflict)
			;
		if (!--open)
			break;
		r = reason_of(c, c->trail.at[place]);
	}
	c->lesson.at.at[0] = -c->trail.at[place];
	shorten(c);
	*glue = count_levels(c);
	return level_to_keep(c);
}
