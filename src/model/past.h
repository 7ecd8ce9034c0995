/* SPDX-License-Identifier: MIT */
/*
 * What comes before an event in every execution in which it happens: of each thread so many of
 * its events (model/needs.h and the order of each thread, closed). It is kept where a thread
 * learns of others, and not at all once that takes too much memory: then less is known to be
 * ordered than is.
 */
#ifndef MODEL_PAST_H
#define MODEL_PAST_H

#include "model/needs.h"

struct past;

/* The index outlives it; the needs are of no more use to it afterwards. */
struct past *past_new(const struct index *index, const struct needs *needs);
void past_free(struct past *p);

/* So many events of the thread come before the event. */
uint32_t past_count(const struct past *p, uint32_t event, uint32_t thread);

/* Does a come before b in every execution in which b happens? */
static inline bool past_has(const struct past *p, const struct index *index, uint32_t b, uint32_t a)
{
	return past_count(p, b, index->events[a].thread) > index->position[a];
}

#endif
