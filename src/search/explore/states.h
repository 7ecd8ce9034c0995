/* SPDX-License-Identifier: MIT */
/*
 * All states reached so far, in the order in which they were found: the queue of a
 * breadth-first search, and the set of what it has seen.
 */
#ifndef SEARCH_EXPLORE_STATES_H
#define SEARCH_EXPLORE_STATES_H

#include "search/explore/explore.h"
#include "search/explore/space.h"

#define STATES_NONE UINT32_MAX

struct states {
	uint32_t words;
	struct explore_limits limits;
	size_t n, capacity;
	uint64_t *records; /* words for each */
	uint64_t *paths;   /* how many executions end here; UINT64_MAX: that many or more */
	uint32_t *parent;  /* where it was found first, by a shortest execution … */
	uint32_t *event;   /* … followed by this event */
	uint32_t *slots;   /* 1 + number, or 0; a power of two of them */
	size_t slot_count;
};

void states_init(struct states *states, uint32_t words, const struct explore_limits *limits);
void states_release(struct states *states);

static inline const uint64_t *states_record(const struct states *states, uint32_t number)
{
	return states->records + (size_t)number * states->words;
}

/* STATES_NONE if it was never added. */
uint32_t states_find(const struct states *states, const uint64_t *record);
/* Its number, a new one if need be, or ERR_LIMIT. */
int states_add(struct states *states, const uint64_t *record, uint32_t parent, uint32_t event,
	       uint32_t *number, struct err *err);

/* Goes through every state that the trace has under the model, from the start. */
int states_explore(struct states *states, struct space *s, struct err *err);

static inline uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

#endif
