/*
 * MHB, the order that holds in every feasible execution in which both events happen
 * (doc/model.md, Orders): program order, fork to first event, last event to join; wait to
 * its signal to woken, barrier-enter to barrier-exit, once-end to once-pass, alloc to
 * access, and external to and from the other accesses of its variable; closed.
 *
 * A thread learns of others at few of its events, so one clock for each stretch between
 * those serves all events in it: clocks[stretch × threads + T] is how many events of
 * another thread T come before them.
 */
#ifndef MODEL_MHB_H
#define MODEL_MHB_H

#include "model/index.h"

struct mhb {
	const struct index *index;
	uint32_t *stretch; /* of each event */
	VEC(uint32_t) clocks;
};

struct mhb *mhb_new(const struct index *index);
void mhb_free(struct mhb *mhb);

/* Is a before b? Not for an event and itself. */
static inline bool mhb_before(const struct mhb *mhb, uint32_t a, uint32_t b)
{
	const struct index *index = mhb->index;
	uint32_t thread = index->events[a].thread;

	if (thread == index->events[b].thread)
		return a < b;
	return index->position[a] <
	       mhb->clocks.at[(size_t)mhb->stretch[b] * index->thread_count + thread];
}

#endif
