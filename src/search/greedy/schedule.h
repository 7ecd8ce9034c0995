/* SPDX-License-Identifier: MIT */
/*
 * Puts the events of a set in an order that is an execution: again and again the earliest
 * (in the trace) event that can happen, that no edge of the graph holds back, and that spoils no
 * kept read. A write waits while a kept read still wants what the variable holds; a kept read
 * waits for its value.
 */
#ifndef SEARCH_GREEDY_SCHEDULE_H
#define SEARCH_GREEDY_SCHEDULE_H

#include "search/greedy/graph.h"

/* The next event of a thread that cannot come now. */
struct greedy_schedule_block {
	uint32_t event;
	uint32_t until;	 /* an event that has to come first, or 0: nobody knows */
	uint32_t holder; /* with what the lock was taken; or the write that it would spoil; or 0 */
};

struct greedy_schedule {
	struct greedy_set *set;
	struct run *run;
	const struct greedy_graph *graph; /* or NULL */
	uint32_t *left;	  /* of each part of a write: kept reads of it yet to come */
	uint32_t *wanted; /* of each variable: kept reads yet to come of what it holds */
	uint32_t *writer; /* of each variable: the last write that came, or 0 */
	VEC(uint32_t) parts, variables; /* those of left, wanted and writer that are not 0 */
	VEC(uint32_t) heap;		/* next events that were not tried since they may come */
	VEC(struct greedy_schedule_block) blocked;
};

void greedy_schedule_init(struct greedy_schedule *s, struct greedy_set *set, struct run *run);
void greedy_schedule_release(struct greedy_schedule *s);

/*
 * From the start, or after what the run has taken already: puts the set, in order, behind what
 * is in the list. False: s->blocked says what could not go on, or time is up.
 */
void greedy_schedule_start(struct greedy_schedule *s, const struct greedy_graph *graph);
bool greedy_schedule_run(struct greedy_schedule *s, struct event_list *list);
/* Takes one event and does all that follows from it. */
bool greedy_schedule_take(struct greedy_schedule *s, uint32_t event, struct event_list *list);

#endif
