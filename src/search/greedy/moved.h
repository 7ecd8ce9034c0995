/* SPDX-License-Identifier: MIT */
/*
 * What has to move, in a set whose recorded order is no execution: some events, the seeds, have
 * to come later, and with them all that follows from them. The rest stays in front as recorded,
 * be it millions of events. Moved are of each thread the last events in the set.
 */
#ifndef SEARCH_GREEDY_MOVED_H
#define SEARCH_GREEDY_MOVED_H

#include "search/greedy/set.h"

struct greedy_moved {
	const struct greedy_set *set;
	uint32_t *start; /* of each thread: position of the first event that is moved */
	/* of each variable, 0 if nothing is moved that matters */
	uint32_t *spared; /* writes after this event come after a kept read that is moved */
	bool *accessed;	  /* an access is moved: before a free */
	VEC(uint32_t) variables;
	/* what was moved of each lock, semaphore, barrier, condition: MOVED_… */
	uint8_t *objects[CLASS_COUNT];
	VEC(uint32_t) seeds;
};

void greedy_moved_init(struct greedy_moved *m, const struct greedy_set *set);
void greedy_moved_release(struct greedy_moved *m);

/* No seeds but those of the set: sections that have to be the last of their lock, other sources. */
void greedy_moved_start(struct greedy_moved *m);
/* The event has to come later. */
void greedy_moved_add(struct greedy_moved *m, uint32_t event);
/*
 * Cuts the list, the set in trace order, in two: what stays in it and what is moved. False: an
 * event before the base of the set would have to.
 */
bool greedy_moved_find(struct greedy_moved *m, struct event_list *list, struct event_list *tail);

#endif
