/* SPDX-License-Identifier: MIT */
/*
 * Overlapping memory (doc/model.md, Memory): cuts variables that overlap into the
 * longest byte ranges that are always accessed together, and makes each access one
 * event over the ranges that it covers. The ranges become variables of their own;
 * what was cut keeps its number and is never seen again. A range that is exactly one
 * variable's memory goes by that variable's name.
 */
#ifndef TRACE_SPLIT_H
#define TRACE_SPLIT_H

#include "trace/reader.h"

struct split;

/* All `memory` declarations are known. NULL if nothing overlaps. */
struct split *split_new(const struct symbols *symbols, const char *trace_name);
/* Makes the ranges, before the first batch: variables with names, among names that are known. */
int split_variables(struct split *split, struct symbols *symbols, struct err *err);
/* Replaces the batch by one in the split's memory, valid until the next call. That one has the
 * first event and those that follow it, as far as they have few ranges: a small trace can have any
 * number of events with any number of them each. */
int split_batch(struct split *split, struct batch *batch, struct err *err);
void split_free(struct split *split);

#endif
