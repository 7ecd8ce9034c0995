/* SPDX-License-Identifier: MIT */
/*
 * Clauses, solved by conflict-driven learning, with a theory inside the search: something else
 * that looks at each literal as it becomes true, finds more that follow, and can say why.
 *
 * Clauses and variables can be added at any time; a clause may end a solution. What was learned
 * stays, and what was decided, as far as it can.
 * Variables are tried as false first, then as what they last were, until a restart forgets that.
 */
#ifndef SAT_CDCL_H
#define SAT_CDCL_H

#include "sat/lit.h"

struct cdcl;

struct cdcl_theory {
	void *context;
	/*
	 * A literal is true, and all that clauses make of those before it. Calls cdcl_imply for
	 * what follows; false: it has called cdcl_conflict.
	 */
	bool (*assign)(void *context, lit l);
	/* All literals are told, and nothing follows any more: what costs more to find. */
	bool (*settle)(void *context);
	/* A decision comes: what is assigned from here on is one more level. */
	void (*level)(void *context);
	/* Back to so many levels. */
	void (*undo)(void *context, uint32_t levels);
	/* Adds to `why` the literals, true before l was, from which l followed. */
	void (*explain)(void *context, lit l, struct lits *why);
	/* While no level is taken back, nobody will want to know this variable. */
	bool (*is_idle)(void *context, lit variable);
	/*
	 * Of a literal that the theory implied: there are many that follow from the same, so that
	 * its reasons are learned in its place. These are no details themselves.
	 */
	bool (*is_detail)(void *context, lit l);
	/*
	 * The variable is in some clause from now on, or in none any more: then what follows for
	 * it need not be told.
	 */
	void (*watch)(void *context, lit variable, bool in_clauses);
};

struct cdcl *cdcl_new(uint32_t variables, const struct cdcl_theory *theory);
void cdcl_free(struct cdcl *c);

lit cdcl_variable(struct cdcl *c);
/* It is decided before all those that are not preferred. */
void cdcl_prefer(struct cdcl *c, lit variable);
void cdcl_clause(struct cdcl *c, const lit *l, size_t n);

/* Called by the theory: a literal that has no value is true, and theory->explain knows why. */
void cdcl_imply(struct cdcl *c, lit l);
/* Called by the theory: these are true, and cannot all be. Returns false. */
bool cdcl_conflict(struct cdcl *c, const struct lits *why);

/* Called by the theory: it has use for a variable that was idle. */
void cdcl_wake(struct cdcl *c, lit variable);

/* Assumptions hold for the next cdcl_solve only. */
void cdcl_assume(struct cdcl *c, lit l);

enum sat_answer { SAT_UNKNOWN, SAT_SATISFIABLE, SAT_UNSATISFIABLE };

/* Unsatisfiable: with these assumptions. Unknown: is_over, asked every now and then, said so. */
enum sat_answer cdcl_solve(struct cdcl *c, bool (*is_over)(void *context), void *context);

/* 1: true, -1: false, 0: neither. */
int cdcl_value(const struct cdcl *c, lit l);

struct cdcl_counts {
	uint64_t decisions, conflicts, propagations, restarts;
};
const struct cdcl_counts *cdcl_counts(const struct cdcl *c);

#endif
