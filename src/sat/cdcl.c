/* SPDX-License-Identifier: MIT */
#include "sat/parts.h"

#include "base/log.h"

#include <string.h>

struct cdcl *cdcl_new(uint32_t variables, const struct cdcl_theory *theory)
{
	struct cdcl *c = mem_alloc_zero(1, sizeof(*c));

	c->theory = *theory;
	c->increment = 1;
	vec_extend(&c->words, FIRST_CLAUSE);
	vec_extend(&c->variables, 1);
	vec_extend(&c->occurs, 1);
	vec_extend(&c->values, 2);
	vec_extend(&c->watches, 2);
	for (uint32_t i = 0; i < variables; i++)
		cdcl_variable(c);
	return c;
}

void cdcl_free(struct cdcl *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->watches.n; i++)
		vec_release(&c->watches.at[i].at);
	vec_release(&c->watches);
	vec_release(&c->words);
	vec_release(&c->learned);
	vec_release(&c->values);
	vec_release(&c->variables);
	vec_release(&c->occurs);
	vec_release(&c->trail);
	vec_release(&c->levels);
	vec_release(&c->assumptions.at);
	vec_release(&c->last_assumptions.at);
	vec_release(&c->activity);
	vec_release(&c->heap);
	vec_release(&c->heap_place);
	vec_release(&c->phases);
	vec_release(&c->preferred);
	vec_release(&c->skipped);
	vec_release(&c->conflict.at);
	vec_release(&c->learned_clause.at);
	vec_release(&c->explanations.at);
	vec_release(&c->why.at);
	vec_release(&c->glue_seen);
	mem_free(c);
}

lit cdcl_variable(struct cdcl *c)
{
	size_t v = c->variables.n;

	vec_extend(&c->variables, v + 1);
	vec_extend(&c->occurs, v + 1);
	vec_extend(&c->values, 2 * v + 2);
	vec_extend(&c->watches, 2 * v + 2);
	cdcl_decide_add(c, (uint32_t)v);
	return (lit)v;
}

int cdcl_value(const struct cdcl *c, lit l)
{
	return value_of(c, l);
}

const struct cdcl_counts *cdcl_counts(const struct cdcl *c)
{
	return &c->counts;
}

static void assign(struct cdcl *c, lit l, uint32_t reason)
{
	struct assignment *v = assignment_of(c, l);

	v->reason = reason;
	v->level = (uint32_t)c->levels.n;
	v->place = (uint32_t)c->trail.n;
	c->values.at[lit_index(l)] = 1;
	c->values.at[lit_index(-l)] = -1;
	vec_push(&c->trail, l);
}

/* What was not worth deciding may be now. */
static void enqueue_skipped(struct cdcl *c, uint32_t levels)
{
	while (c->skipped.n && c->skipped.at[c->skipped.n - 1].level > levels)
		cdcl_enqueue(c, c->skipped.at[--c->skipped.n].variable);
}

static void backtrack(struct cdcl *c, uint32_t levels)
{
	if (levels >= c->levels.n)
		return;
	size_t keep = c->levels.at[levels];

	while (c->trail.n > keep) {
		lit l = c->trail.at[--c->trail.n];

		c->values.at[lit_index(l)] = c->values.at[lit_index(-l)] = 0;
		c->phases.at[lit_variable(l)] = l > 0 ? 1 : -1;
		cdcl_enqueue(c, lit_variable(l));
	}
	c->levels.n = levels;
	enqueue_skipped(c, levels);
	c->propagated = keep;
	if (c->told > keep)
		c->told = keep;
	c->theory.undo(c->theory.context, levels);
}

/* Tells the theory of variables that come into clauses, or are in none any more. */
void cdcl_count_occurrences(struct cdcl *c, const struct clause *clause, bool in_clauses)
{
	for (uint32_t i = 0; i < clause->size; i++) {
		uint32_t variable = lit_variable(clause->lits[i]),
			 *occurs = &c->occurs.at[variable];

		*occurs += in_clauses ? 1 : -1;
		if (*occurs == in_clauses)
			c->theory.watch(c->theory.context, (lit)variable, in_clauses);
	}
}

static uint32_t add_clause(struct cdcl *c, const lit *l, size_t n, bool learned)
{
	uint32_t reference = (uint32_t)c->words.n;
	struct clause head = {.size = (uint32_t)n, .learned = learned};

	ASSERT(n >= 2 && c->words.n + CLAUSE_HEAD + n < UINT32_MAX);
	vec_extend(&c->words, c->words.n + CLAUSE_HEAD + n);
	memcpy(c->words.at + reference, &head, sizeof(head));
	memcpy(clause_at(c, reference)->lits, l, n * sizeof(*l));
	for (size_t i = 0; i < 2; i++) {
		struct watch w = {reference, l[!i]};

		vec_push(&c->watches.at[lit_index(l[i])].at, w);
	}
	if (learned)
		vec_push(&c->learned, reference);
	cdcl_count_occurrences(c, clause_at(c, reference), true);
	return reference;
}

static bool has_literal(const struct lits *clause, lit l)
{
	for (size_t i = 0; i < clause->at.n; i++)
		if (clause->at.at[i] == l)
			return true;
	return false;
}

static bool is_fixed(const struct cdcl *c, lit l)
{
	return value_of(c, l) && !assignment_of(c, l)->level;
}

/* Without what is always false; false: some literal is always true. */
static bool simplify(struct cdcl *c, const lit *l, size_t n)
{
	struct lits *kept = &c->learned_clause;

	kept->at.n = 0;
	for (size_t i = 0; i < n; i++) {
		if ((value_of(c, l[i]) > 0 && is_fixed(c, l[i])) || has_literal(kept, -l[i]))
			return false;
		if (!is_fixed(c, l[i]) && !has_literal(kept, l[i]))
			vec_push(&kept->at, l[i]);
	}
	return true;
}

/* The level from which on it is false. */
static uint32_t false_level(const struct cdcl *c, lit l)
{
	return value_of(c, l) < 0 ? assignment_of(c, l)->level : UINT32_MAX;
}

/* To be watched: the two that are not false, or have been so for the least time. */
static void put_watched_first(struct cdcl *c, struct lits *clause)
{
	lit *l = clause->at.at;

	for (size_t i = 0; i < 2; i++)
		for (size_t k = i + 1; k < clause->at.n; k++)
			if (false_level(c, l[k]) > false_level(c, l[i])) {
				lit swap = l[i];

				l[i] = l[k];
				l[k] = swap;
			}
}

/* What is decided stays as far as the clause lets it. */
static void put_now(struct cdcl *c, struct lits *clause)
{
	put_watched_first(c, clause);
	lit first = clause->at.at[0];
	uint32_t level = false_level(c, clause->at.at[1]);
	bool both = level != UINT32_MAX && false_level(c, first) == level;

	if (level != UINT32_MAX)
		backtrack(c, both ? level - 1 : level);
	uint32_t reference = add_clause(c, clause->at.at, clause->at.n, false);

	if (level != UINT32_MAX && !both && !value_of(c, first))
		assign(c, first, reference);
}

void cdcl_clause(struct cdcl *c, const lit *l, size_t n)
{
	struct lits *kept = &c->learned_clause;

	if (c->inconsistent || !simplify(c, l, n))
		return;
	if (kept->at.n > 1) {
		put_now(c, kept);
		return;
	}
	backtrack(c, 0);
	if (kept->at.n == 0)
		c->inconsistent = true;
	else if (!value_of(c, kept->at.at[0]))
		assign(c, kept->at.at[0], REASON_NONE);
	else if (value_of(c, kept->at.at[0]) < 0)
		c->inconsistent = true;
}

void cdcl_wake(struct cdcl *c, lit variable)
{
	if (!value_of(c, variable))
		cdcl_enqueue(c, lit_variable(variable));
}

void cdcl_imply(struct cdcl *c, lit l)
{
	assign(c, l, REASON_THEORY);
}

bool cdcl_conflict(struct cdcl *c, const struct lits *why)
{
	c->conflict.at.n = 0;
	for (size_t i = 0; i < why->at.n; i++)
		vec_push(&c->conflict.at, -why->at.at[i]);
	return false;
}

/* Another literal than the false one to watch: its place, or 0 if there is none. */
static uint32_t find_watch(const struct cdcl *c, const struct clause *clause)
{
	for (uint32_t i = 2; i < clause->size; i++)
		if (value_of(c, clause->lits[i]) >= 0)
			return i;
	return 0;
}

/* The clauses that watch what has become false. */
static bool propagate_false(struct cdcl *c, lit l)
{
	struct watches *w = &c->watches.at[lit_index(l)];
	size_t kept = 0, i = 0;

	while (i < w->at.n) {
		struct watch watch = w->at.at[i++];

		if (value_of(c, watch.other) > 0) {
			w->at.at[kept++] = watch;
			continue;
		}
		struct clause *clause = clause_at(c, watch.clause);
		lit *lits = clause->lits;

		if (lits[0] == l) {
			lits[0] = lits[1];
			lits[1] = l;
		}
		struct watch new = {watch.clause, lits[0]};

		if (value_of(c, lits[0]) > 0) {
			w->at.at[kept++] = new;
			continue;
		}
		uint32_t k = find_watch(c, clause);

		if (k) {
			lits[1] = lits[k];
			lits[k] = l;
			vec_push(&c->watches.at[lit_index(lits[1])].at, new);
			continue;
		}
		w->at.at[kept++] = new;
		if (value_of(c, lits[0]) < 0) {
			c->conflict.at.n = 0;
			for (uint32_t j = 0; j < clause->size; j++)
				vec_push(&c->conflict.at, lits[j]);
			clause->used = 1;
			while (i < w->at.n)
				w->at.at[kept++] = w->at.at[i++];
			w->at.n = kept;
			return false;
		}
		assign(c, lits[0], watch.clause);
	}
	w->at.n = kept;
	return true;
}

/* False: c->conflict is all false. */
static bool propagate(struct cdcl *c)
{
	do {
		while (c->propagated < c->trail.n) {
			c->counts.propagations++;
			if (!propagate_false(c, -c->trail.at[c->propagated++]))
				return false;
		}
		while (c->told < c->trail.n && c->propagated == c->trail.n)
			if (!c->theory.assign(c->theory.context, c->trail.at[c->told++]))
				return false;
		if (c->told == c->trail.n && !c->theory.settle(c->theory.context))
			return false;
	} while (c->propagated < c->trail.n);
	return true;
}

static void decide(struct cdcl *c, lit l)
{
	vec_push(&c->levels, (uint32_t)c->trail.n);
	c->theory.level(c->theory.context);
	if (l) {
		c->counts.decisions++;
		assign(c, l, REASON_NONE);
	}
}

/* Back to the level of the conflict; false: that is none. */
static bool backtrack_to_conflict(struct cdcl *c)
{
	uint32_t level = 0;

	for (size_t i = 0; i < c->conflict.at.n; i++) {
		const struct assignment *v = assignment_of(c, c->conflict.at.at[i]);

		level = v->level > level ? v->level : level;
	}
	backtrack(c, level);
	return level;
}

/* False: there is no solution. */
static bool learn(struct cdcl *c)
{
	uint32_t glue;

	c->counts.conflicts++;
	c->conflict_number++;
	if (!backtrack_to_conflict(c))
		return false;
	uint32_t levels = cdcl_analyse(c, &glue);

	LOG(LOG_SAT, 2,
	    "conflict %u at level %zu: learned clause of %zu literals, glue %u, back to %u",
	    c->conflict_number, c->levels.n, c->learned_clause.at.n, glue, levels);
	backtrack(c, levels);
	if (c->learned_clause.at.n == 1) {
		assign(c, c->learned_clause.at.at[0], REASON_NONE);
	} else {
		uint32_t reference =
			add_clause(c, c->learned_clause.at.at, c->learned_clause.at.n, true);

		clause_at(c, reference)->glue = glue;
		assign(c, c->learned_clause.at.at[0], reference);
	}
	cdcl_decay(c);
	return true;
}

static bool is_assumed(const struct cdcl *c)
{
	return c->levels.n >= c->assumptions.at.n;
}

/* False: an assumption does not hold. */
static bool assume_next(struct cdcl *c)
{
	lit l = c->assumptions.at.at[c->levels.n];

	if (value_of(c, l) < 0)
		return false;
	decide(c, value_of(c, l) > 0 ? 0 : l);
	return true;
}

/* Luby's sequence, from 1 on: 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 … */
static uint64_t luby(uint32_t n)
{
	uint64_t size = 1; /* of the shortest start of it that is 2^k - 1 long and has n */

	while (size < n)
		size = 2 * size + 1;
	while (size != n) {
		size /= 2;
		if (n > size)
			n -= (uint32_t)size;
	}
	return (size + 1) / 2;
}

/*
 * All is tried as at first again, but for what was learned, and which variables matter. Where there
 * is a solution, most starts take few conflicts and some take very many, so that it is better to
 * give up early; but to find that there is none takes long ones, too.
 */
static void schedule_restart(struct cdcl *c)
{
	cdcl_reset_phases(c);
	c->restart_at = c->counts.conflicts + sat_tune.restart_interval * luby(++c->restart_number);
}

static void restart(struct cdcl *c)
{
	backtrack(c, (uint32_t)c->assumptions.at.n);
	schedule_restart(c);
	c->counts.restarts++;
	LOG(LOG_SAT, 1, "restart %llu: %llu decisions, %llu conflicts, %zu learned clauses",
	    (unsigned long long)c->counts.restarts, (unsigned long long)c->counts.decisions,
	    (unsigned long long)c->counts.conflicts, c->learned.n);
}

static enum sat_answer search(struct cdcl *c, bool (*is_over)(void *context), void *context)
{
	for (uint64_t steps = 1;; steps++) {
		if (steps % sat_tune.poll_interval == 0 && is_over(context))
			return SAT_UNKNOWN;
		if (!propagate(c)) {
			if (!learn(c)) {
				c->inconsistent = true;
				return SAT_UNSATISFIABLE;
			}
			continue;
		}
		if (!is_assumed(c)) {
			if (!assume_next(c))
				return SAT_UNSATISFIABLE;
			continue;
		}
		if (c->counts.conflicts >= c->restart_at)
			restart(c);
		cdcl_reduce(c);
		lit next = cdcl_decide_next(c);

		if (!next)
			return SAT_SATISFIABLE;
		decide(c, next);
	}
}

void cdcl_assume(struct cdcl *c, lit l)
{
	vec_push(&c->assumptions.at, l);
}

/* What the same assumptions have led to last time is gone on with. */
static void reuse_trail(struct cdcl *c)
{
	struct lits *now = &c->assumptions, *last = &c->last_assumptions;
	uint32_t same = 0;

	while (same < now->at.n && same < last->at.n && now->at.at[same] == last->at.at[same])
		same++;
	if (same < now->at.n || same < last->at.n) {
		backtrack(c, same);
		c->restart_number = 0;
		schedule_restart(c);
	}
	last->at.n = 0;
	for (size_t i = 0; i < now->at.n; i++)
		vec_push(&last->at, now->at.at[i]);
}

enum sat_answer cdcl_solve(struct cdcl *c, bool (*is_over)(void *context), void *context)
{
	enum sat_answer answer = SAT_UNSATISFIABLE;

	reuse_trail(c);
	if (!c->inconsistent)
		answer = search(c, is_over, context);
	c->assumptions.at.n = 0;
	return answer;
}
