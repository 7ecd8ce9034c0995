/* SPDX-License-Identifier: MIT */
/*
 * Runs along a schedule and sees whether it is an execution: what the formula leaves out
 * (sections that overlap, writes between a read and its source, values) is found here, and
 * the clauses that were missing are added.
 */
#ifndef SEARCH_SOLVER_SWEEP_H
#define SEARCH_SOLVER_SWEEP_H

#include "search/solver/timeline.h"

struct sweep;

struct sweep *sweep_new(struct formula *f);
void sweep_free(struct sweep *w);

/*
 * True: the schedule can happen, and the events (ready in the end) can be reached. False:
 * it cannot, and the formula has got new clauses that the solution breaks.
 */
bool sweep_run(struct sweep *w, const struct timeline *s, const uint32_t *ready, uint32_t count);

#endif
