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
struct schedule_block {
	uint32_t event;
	uint32_t until;	 /* an event that has to come first, or 0: nobody knows */
	uint32_t holder; /* with what the lock was taken; or the write that it would spoil; or 0 */
};

struct schedule {
	struct set *set;
	struct run *run;
	const struct graph *graph; /* or NULL */
	uint32_t *left;		   /* of each part of a write: kept reads of it yet to come */
	uint32_t *wanted;	   /* of each variable: kept reads yet to come of what it holds */
	uint32_t *writer;	   /* of each variable: the last write that came, or 0 */
	VEC(uint32_t) parts, variables; /* those of left, wanted and writer that are not 0 */
	VEC(uint32_t) heap;		/* next events that were not tried since they may come */
	VEC(struct schedule_block) blocked;
};

void schedule_init(struct schedule *s, struct set *set, struct run *run);
void schedule_release(struct schedule *s);

/*
 * From the start, or after what the run has taken already: puts the set, in order, behind what
 * is in the list. False: s->blocked says what could not go on, or time is up.
 */
void schedule_start(struct schedule *s, const struct graph *graph);
bool schedule_run(struct schedule *s, struct event_list *list);
/* Takes one event and does all that follows from it. */
bool schedule_take(struct schedule *s, uint32_t event, struct event_list *list);

#endif
