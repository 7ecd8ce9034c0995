/* SPDX-License-Identifier: MIT */
/* Of the learned clauses those are removed, now and then, that join many levels. */
#include "sat/parts.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

static bool is_reason(const struct cdcl *c, uint32_t reference)
{
	lit first = clause_at(c, reference)->lits[0];

	return value_of(c, first) > 0 && assignment_of(c, first)->reason == reference;
}

static int compare_glue(const void *a, const void *b, void *context)
{
	const struct clause *x = clause_at(context, *(const uint32_t *)a);
	const struct clause *y = clause_at(context, *(const uint32_t *)b);

	if (x->glue != y->glue)
		return x->glue < y->glue ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

/* A clause of no literals is one that is to go. */
static void mark_garbage(struct cdcl *c)
{
	VEC(uint32_t) others = {0};

	for (size_t i = 0; i < c->learned.n; i++) {
		struct clause *clause = clause_at(c, c->learned.at[i]);

		if (clause->glue > sat_tune.reduce_glue && !clause->used &&
		    !is_reason(c, c->learned.at[i]))
			vec_push(&others, c->learned.at[i]);
		clause->used = 0;
	}
	if (others.n)
		qsort_r(others.at, others.n, sizeof(*others.at), compare_glue, c);
	for (size_t i = others.n / 2; i < others.n; i++) {
		clause_at(c, others.at[i])->glue = 0;
		cdcl_count_occurrences(c, clause_at(c, others.at[i]), false);
	}
	vec_release(&others);
}

static bool is_garbage(const struct clause *clause)
{
	return clause->learned && !clause->glue;
}

static void clean_watches(struct cdcl *c)
{
	for (size_t i = 0; i < c->watches.n; i++) {
		struct watches *w = &c->watches.at[i];
		size_t kept = 0;

		for (size_t k = 0; k < w->at.n; k++) {
			struct clause *clause = clause_at(c, w->at.at[k].clause);

			if (is_garbage(clause))
				continue;
			w->at.at[kept] = w->at.at[k];
			/* where it will be: put into the head while clauses move */
			w->at.at[kept++].clause = clause->size;
		}
		w->at.n = kept;
	}
}

/*
 * Closes the gaps. First each clause is told where it goes, in place of its size, which is kept
 * aside; all who refer to it are told; then all move.
 */
static void collect_garbage(struct cdcl *c)
{
	VEC(uint32_t) sizes = {0};
	uint32_t to = FIRST_CLAUSE;

	for (uint32_t at = FIRST_CLAUSE; at < c->words.n;) {
		struct clause *clause = clause_at(c, at);
		uint32_t size = clause->size;

		vec_push(&sizes, size);
		if (!is_garbage(clause)) {
			clause->size = to;
			to += CLAUSE_HEAD + size;
		}
		at += CLAUSE_HEAD + size;
	}
	clean_watches(c);
	for (size_t i = 0; i < c->trail.n; i++) {
		struct assignment *v = assignment_of(c, c->trail.at[i]);

		if (v->reason >= FIRST_CLAUSE)
			v->reason = clause_at(c, v->reason)->size;
	}
	size_t kept = 0;

	for (size_t i = 0; i < c->learned.n; i++)
		if (!is_garbage(clause_at(c, c->learned.at[i])))
			c->learned.at[kept++] = clause_at(c, c->learned.at[i])->size;
	c->learned.n = kept;
	uint32_t at = FIRST_CLAUSE;

	for (size_t i = 0; i < sizes.n; i++) {
		struct clause *clause = clause_at(c, at);
		bool garbage = is_garbage(clause);
		uint32_t goes = clause->size;

		at += CLAUSE_HEAD + sizes.at[i];
		if (garbage)
			continue;
		clause->size = sizes.at[i];
		memmove(c->words.at + goes, clause, (CLAUSE_HEAD + sizes.at[i]) * sizeof(uint32_t));
	}
	c->words.n = to;
	vec_release(&sizes);
}

void cdcl_reduce(struct cdcl *c)
{
	if (!c->reduce_at)
		c->reduce_at = sat_tune.reduce_first;
	if (c->counts.conflicts < c->reduce_at)
		return;
	uint64_t reductions = c->counts.conflicts / sat_tune.reduce_first;

	c->reduce_at =
		c->counts.conflicts + sat_tune.reduce_first + sat_tune.reduce_step * reductions;
	size_t before = c->learned.n;

	mark_garbage(c);
	collect_garbage(c);
	LOG(LOG_SAT, 1, "reduce: %zu of %zu learned clauses stay", c->learned.n, before);
}
