/* SPDX-License-Identifier: MIT */
/*
 * Cycles of acquires that may be deadlocks (doc/model.md, Bugs): each wants a lock that the
 * next one's thread holds. They are nominated in two steps. A *cycle* is of wants
 * (deadlock/wants.h), that is of groups of acquires; a *ring* is one acquire of each. Every
 * deadlock of every model is a ring of a cycle. Left out is what cannot be one:
 *
 *	two acquires of one thread
 *	two shared holds: a reader does not wait for a reader
 *	a gate: two threads that hold one lock, not both shared
 *	an acquire that comes before another one in every execution (model/past.h)
 *
 * The locks that are on no cycle, which is most of them, are sorted out in time linear in the
 * trace. There may be very many cycles: those of few threads come first, and a limit of steps
 * ends the search.
 */
#ifndef DEADLOCK_CYCLES_H
#define DEADLOCK_CYCLES_H

#include "model/past.h"
#include "deadlock/wants.h"

struct cycles;

/* The index outlives it. */
struct cycles *cycles_new(const struct index *index);
void cycles_free(struct cycles *c);
const struct wants *cycles_wants(const struct cycles *c);

/* Wants, each of which waits for a lock that the next one holds; false: no more of them. */
typedef bool cycles_found(void *context, const uint32_t *wants, uint32_t n);

/* False: there are more than could be looked at in so many steps (0: no limit), or were wanted. */
bool cycles_each(struct cycles *c, uint64_t steps, cycles_found *found, void *context);

/* Where a thread took the lock that the one before it wants, and where it wants another: sites. */
struct cycle_places {
	uint32_t held_at, wanted_at;
};

/* The same of the cycles alone whose places are all among these, which are each there once. */
bool cycles_each_at(struct cycles *c, const struct cycle_places *places, uint32_t count,
		    uint64_t steps, cycles_found *found, void *context);

/*
 * The places at which locks of cycles were taken and are wanted: how many such pairs there are, at
 * most two are counted.
 */
uint32_t cycles_count_places(const struct cycles *c);

/* Where the thread of wants[i] took the lock that the one before it waits for. */
uint32_t cycles_held_at(const struct cycles *c, const uint32_t *wants, uint32_t n, uint32_t i);

/* Acquires, one of each want, each before one whose thread holds what it wants, the first in the
 * trace first; false: no more of them. */
typedef bool rings_found(void *context, const uint32_t *events, uint32_t n);

/* There are not more than these; UINT64_MAX: that many or more. */
uint64_t cycles_count_rings(const struct cycles *c, const uint32_t *wants, uint32_t n);
/*
 * The rings of a cycle, if these are not more than most by that count; else some that lie nearby,
 * not more than 16 times as many, and false.
 */
bool cycles_rings(const struct cycles *c, const uint32_t *wants, uint32_t n, uint64_t most,
		  rings_found *found, void *context);

/* Every ring of the trace; a set of acquires may come more than once. False: as cycles_each. */
bool cycles_all_rings(struct cycles *c, uint64_t steps, rings_found *found, void *context);

#endif
