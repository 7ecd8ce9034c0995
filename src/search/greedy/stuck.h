/* SPDX-License-Identifier: MIT */
/*
 * Stuck threads on traces of any length, in linear time: the thread of the wait is held back at
 * some place before it, the others run on for as long as they can, as recorded if possible,
 * and then it comes to its wait. Whether all are stuck then, the run says. For a wait that a
 * signal ended in the trace, the thread goes on as soon as that signal has come, or later.
 */
#ifndef SEARCH_GREEDY_STUCK_H
#define SEARCH_GREEDY_STUCK_H

#include "search/greedy/set.h"

struct greedy_stuck {
	const struct index *index;
	const struct run_marks *marks;
	const struct greedy_clock *clock;
	struct run *run;
};

/*
 * The query has one event. True: the events before *base as recorded, and then the order, end in
 * a state that is stuck.
 */
bool greedy_stuck_find(const struct greedy_stuck *s, const struct query *q,
		       struct event_list *order, uint32_t *base);

#endif
