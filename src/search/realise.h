/* SPDX-License-Identifier: MIT */
/*
 * An order of some events, tried at once: what comes before the first event that moves happens as
 * recorded; then the threads go to their events one after the other, and who is in the way goes on
 * until he is not. That is quick, in traces of any length, and often enough.
 */
#ifndef SEARCH_REALISE_H
#define SEARCH_REALISE_H

#include "search/run.h"

struct realiser;

struct realise_limits {
	uint32_t depth; /* of what has to come before an event */
	uint32_t steps; /* of one execution */
};

/* The index outlives it. */
struct realiser *realiser_new(const struct index *index, enum model model,
			      const struct realise_limits *limits);
void realiser_free(struct realiser *r);

/* Which events count: those of the word, and perhaps others, which then may not happen. */
typedef bool realise_hears(const void *context, uint32_t event);

/*
 * The word: events that are heard, in that order and no others. True: run holds an execution that
 * is so.
 */
bool realise(struct realiser *r, realise_hears *hears, const void *context, const uint32_t *word,
	     size_t n, struct witness *w);

#endif
