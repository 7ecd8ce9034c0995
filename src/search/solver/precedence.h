/* SPDX-License-Identifier: MIT */
/*
 * The theory of order, for sat/cdcl.h: what the model (doc/model.md) says of the order of
 * events, not as clauses but as rules that add edges to search/solver/reach.h while clauses are
 * solved. As soon as some orders are decided, all are that follow from these; a cycle is a conflict
 * at once. What has to be decided beyond that, and between which nodes, is for others to say, by
 * literals (precedence_literal).
 *
 * Two nodes are not events: START, before all, and CUT, between what happens and what does not.
 * That an event happens says that it comes before CUT, so that all before it happens, too.
 */
#ifndef SEARCH_SOLVER_PRECEDENCE_H
#define SEARCH_SOLVER_PRECEDENCE_H

#include "sat/cdcl.h"
#include "search/solver/reach.h"

struct precedence;

/*
 * Chains as for reach_new. The last has two nodes, START and CUT; of all others, recorded[node]
 * is the place in the trace.
 */
struct precedence *precedence_new(const uint32_t *ends, uint32_t chains, const uint32_t *recorded);
void precedence_free(struct precedence *p);

struct cdcl_theory precedence_theory(struct precedence *p);
/* It has to be told to whom it is a theory, before anything else. */
void precedence_serve(struct precedence *p, struct cdcl *c);

uint32_t precedence_start(const struct precedence *p);
uint32_t precedence_cut(const struct precedence *p);

/* Always; before anything that follows here. */
void precedence_fix(struct precedence *p, uint32_t from, uint32_t to);

/* The variable says whether the node comes before CUT. */
void precedence_happens(struct precedence *p, lit variable, uint32_t node);

/*
 * That `from` comes before `to`; its variable is false if that is as recorded. At any time. It
 * will be decided, or follow, if both happen.
 */
lit precedence_literal(struct precedence *p, uint32_t from, uint32_t to);

/* These before anything is solved: */

/* If both happen, in this order. */
void precedence_both(struct precedence *p, uint32_t from, uint32_t to);

/*
 * A section of a lock. Of two that exclude each other and whose acquires happen, one ends before
 * the other begins. The acquire may be START; the release is CUT if there is none.
 */
struct precedence_section {
	uint32_t lock; /* any number */
	uint32_t acquire, release;
	uint32_t thread;
	bool shared;
};
void precedence_section(struct precedence *p, const struct precedence_section *s);

/* The node writes to this cell. */
void precedence_write(struct precedence *p, uint32_t cell, uint32_t node);

/* And these at any time: */

/*
 * If both literals hold, the read, which happens, sees what `write` (it may be START) left in
 * the cell: it comes first, and no other write is between them.
 */
struct precedence_source {
	uint32_t cell, read, write;
	lit used, source;
};
void precedence_source(struct precedence *p, const struct precedence_source *s);

/* If the literal holds, nothing is between the two. */
void precedence_adjacent(struct precedence *p, lit when, uint32_t node, uint32_t other);

/* After a solution: what comes before a node, as for reach_last. */
uint32_t precedence_last(const struct precedence *p, uint32_t node, uint32_t chain);
uint32_t precedence_chain(const struct precedence *p, uint32_t node);

#endif
