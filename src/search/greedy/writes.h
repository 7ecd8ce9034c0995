/*
 * Of each variable that is asked for: what writes it, and what writes a given value to it. Made
 * when first asked for, and kept.
 */
#ifndef SEARCH_GREEDY_WRITES_H
#define SEARCH_GREEDY_WRITES_H

#include "model/index.h"

struct writes_list {
	const uint32_t *events;
	uint32_t count;
};

struct writes;

struct writes *writes_new(const struct index *index);
void writes_free(struct writes *w);

/* What the event writes to the variable, as recorded; false: nothing. */
bool writes_value(const struct event *e, uint32_t variable, int64_t *value);

/* In the order of the trace: all, and those of a value that is computed. */
struct writes_list writes_all(struct writes *w, uint32_t variable);
struct writes_list writes_computed(struct writes *w, uint32_t variable);
/* Those of this value. */
struct writes_list writes_of(struct writes *w, uint32_t variable, int64_t value);

#endif
