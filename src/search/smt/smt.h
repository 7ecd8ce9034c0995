/* SPDX-License-Identifier: MIT */
/*
 * Queries as SMT-LIB 2 text, for solvers that others wrote. Eager: all of the model
 * (doc/model.md) is in the text, and a solver that finds it satisfiable has found an
 * execution. Nothing here is shared with the engines that step through executions.
 *
 * Of each event that may happen before the bug there are
 *
 *	oN	Int: its place. Events with the same place come by their numbers, so that
 *		any places are a total order. o0 is the start.
 *	iN	Bool: it happens. Only what happens constrains anything.
 *
 * and, of those that the query asks for, what reads return and writes write (smt_values.c).
 * These are implications in one direction: a solver may say that a read has changed when
 * it has not, which never helps, but not the other way round.
 */
#ifndef SEARCH_SMT_SMT_H
#define SEARCH_SMT_SMT_H

#include "search/engine.h"

struct smt;

struct smt *smt_new(const struct index *index, enum model model);
void smt_free(struct smt *s);

/*
 * The query as text, from set-option to check-sat; it lives until the next call. *logic is
 * what its set-logic says.
 */
const char *smt_write(struct smt *s, const struct query *q, size_t *length, const char **logic);

/* What to ask a solver for that found it satisfiable: of the query that was written last. */
bool smt_has_place(const struct smt *s, uint32_t n); /* there is an oN */
bool smt_is_open(const struct smt *s, uint32_t n);   /* there is an iN: else it happens */

/* What it answered, of the events with a place; fills w, which starts as zero. */
struct smt_place {
	int64_t place;
	uint32_t event;
};

/* The events that happen, in any order; sorts them. */
void smt_make_witness(const struct smt *s, struct smt_place *places, size_t n, struct witness *w);

/* Writes the text to DIRECTORY/race-A-B-MODEL.smt2. */
int smt_dump(const struct smt *s, const char *directory, struct err *err);

#endif
