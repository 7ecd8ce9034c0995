/*
 * From a solution of a formula to an order of the events that happen in it: as near to the
 * recorded one as its edges allow. If they form a cycle, that is put into clauses.
 */
#ifndef SEARCH_SCHEDULE_H
#define SEARCH_SCHEDULE_H

#include "search/formula.h"

struct schedule {
	struct formula *formula;
	/* Two nodes that shall follow each other directly, under an assumption; or 0. */
	uint32_t pair[2];
	lit adjacent;
	VEC(uint32_t) order; /* nodes */
	uint32_t *end;	     /* of each thread: behind its last node that happens */
	uint32_t *next;	     /* of each thread: the first that has no place so far */
	uint32_t *waits;     /* of each node: for so many others */
	/* edges that hold now, behind the fixed ones: of each node a chain */
	uint32_t *first, *follow, *active;
	uint32_t active_count;
	uint32_t *fixed_first, *fixed; /* by what comes first */
	/* for finding cycles */
	uint32_t *parent, *parent_edge, *seen, *queue;
	uint32_t round;
	size_t room; /* of follow and active */
};

struct schedule *schedule_new(struct formula *f);
void schedule_free(struct schedule *s);

/* After sat_solve has found a solution. False: there is a cycle, and clauses that say so. */
bool schedule_make(struct schedule *s);

#endif
