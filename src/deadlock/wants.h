/* SPDX-License-Identifier: MIT */
/*
 * Acquires of threads that hold something already, grouped by what matters for a deadlock: the
 * thread, what it holds and where it took that, the lock that it wants and where. A trace has
 * millions of them in few groups. A `woken` is an acquire (doc/model.md, Bugs).
 *
 * Only those are here that want a lock of a component (deadlock/lock_components.h) of which the
 * thread holds another: no others can be part of a deadlock.
 *
 * What a thread holds when it comes to an event is the same in every execution.
 */
#ifndef DEADLOCK_WANTS_H
#define DEADLOCK_WANTS_H

#include "model/index.h"
#include "model/sites.h"

struct want_hold {
	uint32_t lock;
	uint32_t shared; /* 1: held as a reader */
	uint32_t site;	 /* where it was taken */
};

struct want {
	uint32_t thread;
	uint32_t holds; /* a number of struct wants */
	uint32_t lock;
	uint32_t shared;
	uint32_t site;
	uint32_t first, count; /* its acquires stand in events[first…], ascending */
};

struct wants {
	const struct index *index;
	struct sites sites;
	struct intern holds; /* of struct hold, ascending by lock */
	VEC(struct want) all;
	uint32_t *events;
	uint32_t *component; /* of each lock */
	uint32_t component_count;
};

struct wants *wants_new(const struct index *index);
void wants_free(struct wants *w);

/* The n locks that its thread holds. */
static inline const struct want_hold *wants_holds(const struct wants *w, uint32_t want, size_t *n)
{
	const struct interned *set = &w->holds.strings.at[w->all.at[want].holds];

	*n = set->length / sizeof(struct want_hold);
	return (const void *)set->text; /* an arena's memory: aligned */
}

#endif
