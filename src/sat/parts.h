/* SPDX-License-Identifier: MIT */
/* What the files of the clause solver (sat/cdcl.h) share. */
#ifndef SAT_PARTS_H
#define SAT_PARTS_H

#include "base/err.h"
#include "sat/cdcl.h"
#include "sat/tune.h"

/*
 * Clauses lie in one array of words, behind each other: a head, then the literals. The first
 * two are watched: unless one of all is true, both are not false, or are so at no lower
 * level than the others. A reference is the place of the head.
 */
struct clause {
	uint32_t size;
	uint32_t glue : 30;		/* levels that it joined when it was learned */
	uint32_t learned : 1, used : 1; /* since the last reduction */
	lit lits[];
};

#define CLAUSE_HEAD 2 /* words */

/* Why a variable has its value, instead of a reference. */
#define REASON_NONE 0 /* decided, or always so */
#define REASON_THEORY 1
#define FIRST_CLAUSE 2

struct watch {
	uint32_t clause;
	lit other; /* if this one is true, the clause is */
};

struct watches {
	VEC(struct watch) at;
};

struct assignment {
	uint32_t reason;
	uint32_t level;
	uint32_t place; /* on the trail */
	/* the last conflict in which it was seen; was redundant in the learned clause; was not */
	uint32_t seen, removable, poisoned;
	/* conflict for which explained is valid: where in the explanations it begins */
	uint32_t explained_in;
	uint32_t explained;
};

/* A variable that the theory had no use for, from this level on. */
struct skipped {
	uint32_t variable, level;
};

struct cdcl {
	struct cdcl_theory theory;
	VEC(uint32_t) words; /* clauses */
	VEC(uint32_t) learned;
	VEC(struct watches) watches; /* by lit_index */
	VEC(int8_t) values;	     /* by lit_index */
	VEC(struct assignment) variables;
	VEC(uint32_t) occurs; /* of each variable: clauses with it */
	VEC(lit) trail;
	VEC(uint32_t) levels;	 /* where on the trail each begins, with its decision */
	size_t propagated, told; /* of the trail: to clauses, to the theory */
	struct lits assumptions, last_assumptions;
	bool inconsistent; /* no solution, whatever is assumed */

	/* the next decision: the variable with the most conflicts of late */
	VEC(double) activity;
	double increment;
	VEC(uint32_t) heap;	  /* variables that may be undecided, the most active first */
	VEC(uint32_t) heap_place; /* of each variable: 1 + its place in the heap, or 0 */
	VEC(struct skipped) skipped;
	VEC(bool) preferred;
	VEC(int8_t) phases; /* what it was last, since the last restart */

	/* the conflict that is looked at */
	uint32_t conflict_number; /* its number */
	struct lits conflict;	  /* literals of a clause, all false */
	struct lits
		learned_clause;	  /* the clause that is learned from it; its first literal is new */
	struct lits explanations; /* pieces, each ended by 0 */
	struct lits why;	  /* scratch */
	VEC(uint32_t) glue_seen;  /* by level: the last conflict */
	uint64_t reduce_at;	  /* conflicts */
	uint64_t restart_at;	  /* conflicts */
	uint32_t restart_number;  /* with these assumptions */
	struct cdcl_counts counts;
};

static inline size_t lit_index(lit l)
{
	return l > 0 ? 2 * (size_t)l : 2 * (size_t)-l + 1;
}

static inline int8_t value_of(const struct cdcl *c, lit l)
{
	return c->values.at[lit_index(l)];
}

static inline struct clause *clause_at(const struct cdcl *c, uint32_t reference)
{
	return (struct clause *)(c->words.at + reference);
}

static inline struct assignment *assignment_of(const struct cdcl *c, lit l)
{
	return &c->variables.at[lit_variable(l)];
}

/* cdcl.c */
void cdcl_count_occurrences(struct cdcl *c, const struct clause *clause, bool in_clauses);

/* decide.c */
void cdcl_decide_add(struct cdcl *c, uint32_t variable);
void cdcl_enqueue(struct cdcl *c, uint32_t variable); /* it has no value any more */
void cdcl_bump(struct cdcl *c, uint32_t variable);
void cdcl_decay(struct cdcl *c);
void cdcl_reset_phases(struct cdcl *c); /* forgets what variables were */
lit cdcl_decide_next(struct cdcl *c);	/* 0: all have a value */

/* analyse.c: from c->conflict to c->learned_clause; the level to backtrack to. */
uint32_t cdcl_analyse(struct cdcl *c, uint32_t *glue);

/* reduce.c: removes those learned clauses that are of little use. */
void cdcl_reduce(struct cdcl *c);

#endif
