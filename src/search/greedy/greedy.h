/* SPDX-License-Identifier: MIT */
/*
 * The greedy engine, on traces of any length. A query is answered on a *set* of events that
 * is a prefix of each thread: what has to happen before the bug, closed under rules. Three
 * such sets are tried:
 *
 *	must		only rules that hold of every execution. If the closure meets one of the
 *			bug's own events, its order has a cycle, or more threads would take a
 *			value than write it (taken.c), the bug is refuted.
 *	recorded	what also lets the recorded order of the set be an execution.
 *	moved		as recorded, but sections may change places: an order is built from
 *			constraints (graph.h) by taking the earliest event that can happen
 *			(schedule.h).
 *
 * Where that leads nowhere since the bug's events are far apart, few threads go on from the first
 * of them (few.h).
 *
 * Nothing is called proved that a run (run.h) has not taken step by step. A read is *kept* if
 * something in the set asks for its value; the others may return what they like.
 */
#ifndef SEARCH_GREEDY_GREEDY_H
#define SEARCH_GREEDY_GREEDY_H

#include "model/causes.h"
#include "model/depends.h"
#include "model/needs.h"
#include "model/sections.h"
#include "search/greedy/tune.h"
#include "search/greedy/writes.h"
#include "search/run.h"

/* Found once, of the whole trace. */
struct greedy_facts {
	const struct index *index;
	struct needs *needs;
	const struct sections *sections;
	/*
	 * sem-wait: the post that gave its token, first in first out, or 0; sem-post: the wait
	 * that took its token, or 0; try-fail: with what another thread had taken the lock.
	 */
	uint32_t *partner;
	/* of each barrier: its enters in order, as many a round as it has parties */
	struct index_list *enters;
	struct greedy_writes *writes;
	struct causes *causes; /* or NULL */
};

struct greedy_facts *greedy_facts_new(const struct index *index,
				      const struct engine_options *options);
void greedy_facts_free(struct greedy_facts *f);

/* When to give up. */
struct greedy_clock {
	double end; /* in seconds of the monotonic clock; 0: never */
	const volatile bool *stop;
};

bool greedy_is_over(const struct greedy_clock *clock);

#endif
