/* SPDX-License-Identifier: MIT */
/*
 * Nomination in a stream. Of each variable the accesses that may still race are kept, in
 * groups, one for each class (order/signatures.h) that the variable was accessed by; of a
 * thread the last one. Two groups are of use to each other until a race between their classes is
 * found, at whatever variable: their signature is then known. So a group for which that is so
 * with all others of its variable looks at nothing any more.
 *
 * What is kept of a group is an antichain, or little more. An access that another one of the
 * same class is ordered after is of no more use: whatever it races with later, the other does
 * as well, for orders are transitive (together with MHB, which wcp and sdp compose with). Most
 * often only one is left.
 *
 * The same holds for accesses of one site under any sets of locks where a lock in common is an edge
 * of the order: then the sets say nothing that the clocks do not. Else see order/mixed.h.
 */
#ifndef ORDER_NOMINATE_H
#define ORDER_NOMINATE_H

#include "order/groups.h"
#include "order/signatures.h"

/* The last access to a variable; class 0: none. */
struct recent {
	uint32_t variable, class, time, lockset;
	uint64_t who;
};

#define RECENT 64 /* many more than events that count as near each other */

struct nominator {
	struct front *front;
	struct order *order;
	const struct clock_table *race_clocks; /* whose clocks decide on races */
	unsigned race_clock;
	struct signatures signatures;
	struct variable_groups *variables; /* by variable; in variable_memory */
	void *variable_memory;
	struct recent recent[RECENT]; /* by variable; the last of those with the same place */
	size_t variable_count;
	struct groups_memory memory;
	uint64_t used_after_sweep; /* of the memory */
	uint64_t known_at_sweep;   /* to all, as a sum: none of it is taken back */
	uint32_t turn;		   /* counts accesses */
	uint64_t horizon;	   /* as who: what happened before is known to all */
	uint64_t times_taken;	   /* of all slots, at this event; as who */
	VEC(uint32_t) times;
};

void nominator_init(struct nominator *n, struct front *front, struct order *order);
void nominate_access(struct nominator *n, const struct actor *t, uint32_t variable, uint32_t class,
		     uint64_t number);
/* Drops what can race with nothing any more, if there may be much of it. number: the next event */
void nominator_collect(struct nominator *n, uint64_t number);
uint64_t nominator_bytes(const struct nominator *n);
void nominator_release(struct nominator *n);

/* Where an access to that variable will look; then, if it is of that class. To be prefetched. */
static inline const void *nominate_looks_at(const struct nominator *n, uint32_t variable)
{
	return n->variables + variable;
}

static inline const void *nominate_looks_then(const struct nominator *n, uint32_t variable,
					      uint32_t class)
{
	if (variable >= n->variable_count)
		return NULL;
	const struct variable_groups *v = &n->variables[variable];
	uintptr_t line = (uintptr_t)(groups_lines(v) + groups_home(v, class));

	/* no groups: nothing, but without a jump */
	return (const void *)(line & -(uintptr_t)!v->own[0].class);
}

/* And at last, if the group has several accesses and the thread has that slot. */
static inline const void *nominate_looks_last(const struct nominator *n, uint32_t variable,
					      uint32_t class, uint32_t slot)
{
	const struct line *l = nominate_looks_then(n, variable, class);

	if (!l || !n->variables[variable].own[0].who)
		return NULL;
	uint32_t way = (uint32_t)__builtin_ctz(matching_ways(l, class) | 1u << (LINE_WAYS - 1));
	const struct slot_access *a = accesses_place(l->who[way], slot);

	return (const void *)((uintptr_t)a & -(uintptr_t)!l->times[way]);
}

#endif
