/* SPDX-License-Identifier: MIT */
/*
 * What formulas are made with: sat/cdcl.h with a budget, and with the constants LIT_TRUE and
 * LIT_FALSE, which are dropped from clauses.
 */
#ifndef SAT_SAT_H
#define SAT_SAT_H

#include "base/budget.h"
#include "sat/cdcl.h"

struct sat;

/*
 * Variables 1 … first are there from the start. The theory's context is the caller's. limited:
 * budgets will have a limit of memory, which counts from here.
 */
struct sat *sat_new(uint32_t first, const struct cdcl_theory *theory, bool limited);
void sat_free(struct sat *s);

/* What the theory talks to. */
struct cdcl *sat_core(struct sat *s);

lit sat_variable(struct sat *s);

/* A clause: any number of sat_or, then sat_end. */
void sat_or(struct sat *s, lit l);
void sat_end(struct sat *s);

/* Whole clauses of their own, also between a sat_or and its sat_end. */
void sat_clause(struct sat *s, const lit *l, size_t n);
void sat_imply(struct sat *s, lit a, lit b);
void sat_fact(struct sat *s, lit l);

/* At most one of them. */
void sat_at_most_one(struct sat *s, const lit *l, size_t n);

/* Assumptions hold for the next sat_solve only. SAT_UNKNOWN: the budget ended first. */
void sat_assume(struct sat *s, lit l);
enum sat_answer sat_solve(struct sat *s, const struct budget *budget, double deadline);
/* After SAT_SATISFIABLE. False, too, if it does not matter. */
bool sat_true(struct sat *s, lit l);
const struct cdcl_counts *sat_counts(const struct sat *s);

#endif
