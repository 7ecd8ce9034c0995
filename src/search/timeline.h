/*
 * From a solution of a formula to an order of the events that happen in it: as near to the
 * recorded one as its edges allow. If they form a cycle, that is put into clauses.
 */
#ifndef SEARCH_TIMELINE_H
#define SEARCH_TIMELINE_H

#include "search/formula.h"

/* An order that a demand relies on (or, without a literal, one that holds if both happen). */
struct active_edge {
	uint32_t from, to;
	lit order;
	uint32_t follow; /* the next edge from there, or NO_EDGE */
	bool told;	 /* it is part of a cycle that was put into a clause */
};

#define NO_EDGE UINT32_MAX

struct timeline {
	struct formula *formula;
	/* Two nodes that shall follow each other directly, under an assumption; or 0. */
	uint32_t pair[2];
	lit adjacent;
	VEC(uint32_t) order; /* nodes */
	uint32_t *end;	     /* of each thread: behind its last node that happens */
	uint32_t *next;	     /* of each thread: the first that has no place so far */
	uint32_t *waits;     /* of each node: for so many others */
	/* the edges to follow now, beside the fixed ones: of each node a chain */
	VEC(struct active_edge) active;
	uint32_t *first;	       /* of each node, in active; or NO_EDGE */
	VEC(uint32_t) chosen;	       /* of each atom: the round in which it is followed */
	uint32_t *fixed_first, *fixed; /* by what comes first */
	/* for finding cycles */
	uint32_t *parent, *parent_edge, *seen, *queue;
	uint32_t search;     /* numbers the searches, for seen */
	uint64_t visited;    /* nodes in this round */
	VEC(uint32_t) cycle; /* edges of the one that was found, from its end */
	uint32_t round;
};

struct timeline *timeline_new(struct formula *f);
void timeline_free(struct timeline *s);

/* After sat_solve has found a solution. False: there is a cycle, and clauses that say so. */
bool timeline_make(struct timeline *s);

#endif
