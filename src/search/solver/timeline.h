/* SPDX-License-Identifier: MIT */
/*
 * From a solution of a formula to an order of the events that happen in it: as near to the
 * recorded one as the solution allows.
 */
#ifndef SEARCH_SOLVER_TIMELINE_H
#define SEARCH_SOLVER_TIMELINE_H

#include "search/solver/formula.h"

/* A chain of the formula. */
struct timeline_chain {
	uint32_t next;	  /* the first node that has no place so far */
	uint32_t end;	  /* behind its last node that happens */
	uint32_t blocker; /* the next one waits for this node; or 0 */
};

struct timeline {
	struct formula *formula;
	/* Two nodes that shall follow each other directly, under an assumption; or 0. */
	uint32_t pair[2];
	lit adjacent;
	VEC(uint32_t) order; /* nodes */
	VEC(struct timeline_chain) chains;
};

struct timeline *timeline_new(struct formula *f);
void timeline_free(struct timeline *s);

/* After sat_solve has found a solution. */
void timeline_make(struct timeline *s);

#endif
