/* SPDX-License-Identifier: MIT */
/*
 * The part of a trace that properties depend on (sliced causality): the events that their monitors
 * hear, and all that can matter for these, as the solver takes it (cone_enough). Of each thread it
 * is its first events, up to one of them.
 */
#ifndef SEARCH_SOLVER_SLICE_H
#define SEARCH_SOLVER_SLICE_H

#include "model/index.h"
#include "property/monitor.h"
#include "trace/models.h"

/* Adds to in[1 … index->count] what this one depends on. */
void slice_add(const struct index *index, enum model model, const struct monitor *monitor,
	       bool *in);

#endif
