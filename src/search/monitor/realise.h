/* SPDX-License-Identifier: MIT */
/*
 * An order of what is heard, tried at once: what comes before the first event that moves happens as
 * recorded; then the threads go to their events one after the other, and who is in the way goes on
 * until he is not. That is quick, in traces of any length, and often enough.
 */
#ifndef SEARCH_MONITOR_REALISE_H
#define SEARCH_MONITOR_REALISE_H

#include "property/monitor.h"
#include "search/run.h"

struct realiser;

/* The index outlives it. */
struct realiser *realiser_new(const struct index *index, enum model model);
void realiser_free(struct realiser *r);

/*
 * The word: events that the monitor hears, in that order and no others. True: run holds an
 * execution that is so.
 */
bool realise(struct realiser *r, const struct monitor *monitor, const uint32_t *word, size_t n,
	     struct witness *w);

#endif
