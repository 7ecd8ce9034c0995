/* SPDX-License-Identifier: MIT */
/*
 * The greedy engine's attempt for bugs whose events are far apart (greedy.h): all is as recorded
 * up to the first of them, and from there only few threads go on, in the recorded order: those
 * of the other events, and who gives them what they turn out to miss.
 */
#ifndef SEARCH_GREEDY_FEW_H
#define SEARCH_GREEDY_FEW_H

#include "search/greedy/set.h"

struct greedy_few {
	struct greedy_set *set;
	struct run *run;
	const struct run_marks *marks;
	bool *goes;	     /* of each thread */
	VEC(uint32_t) going; /* those threads, each but the targets' for one before it */
};

void greedy_few_init(struct greedy_few *f, struct greedy_set *set, struct run *run,
		     const struct run_marks *marks);
void greedy_few_release(struct greedy_few *f);

/* The set was started. What the run took from its base on is in the list. */
bool greedy_few_find(struct greedy_few *f, struct event_list *list);

#endif
