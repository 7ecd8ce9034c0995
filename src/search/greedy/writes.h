/* SPDX-License-Identifier: MIT */
/*
 * Of each variable that is asked for: what writes it, and what writes a given value to it. Made
 * when first asked for, and kept.
 */
#ifndef SEARCH_GREEDY_WRITES_H
#define SEARCH_GREEDY_WRITES_H

#include "model/index.h"

struct greedy_writes_list {
	const uint32_t *events;
	uint32_t count;
};

struct greedy_writes;

struct greedy_writes *greedy_writes_new(const struct index *index);
void greedy_writes_free(struct greedy_writes *w);

/* What the event writes to the variable, as recorded; false: nothing. */
bool greedy_writes_value(const struct event *e, uint32_t variable, int64_t *value);

/* In the order of the trace: all, and those of a value that is computed. */
struct greedy_writes_list greedy_writes_all(struct greedy_writes *w, uint32_t variable);
struct greedy_writes_list greedy_writes_computed(struct greedy_writes *w, uint32_t variable);
/* Those of this value. */
struct greedy_writes_list greedy_writes_of(struct greedy_writes *w, uint32_t variable,
					   int64_t value);

#endif
