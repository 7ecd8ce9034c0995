/* SPDX-License-Identifier: MIT */
/*
 * How an order is made. The front (order/front.h) turns the events of a trace into a few
 * steps, the same for all orders: it knows which thread holds what, gives each thread a slot
 * in the clocks and a time that goes on whenever others may learn of it, and keeps MHB.
 * An order adds what it alone knows.
 *
 * An event of slot s at time n comes before what a clock describes if n ≤ clock[s].
 */
#ifndef ORDER_KIND_H
#define ORDER_KIND_H

#include "order/order.h"
#include "order/clock_table.h"

/* A section that is open. Locks are numbered by the front; an atomic variable has one too. */
struct open_section {
	uint32_t lock;
	uint32_t depth; /* a lock may be held shared several times */
	uint32_t acquire_time;
	uint32_t number; /* sections are numbered as they begin */
	bool shared;
	uint64_t section; /* for the order: what it keeps of it */
};

#define ACTOR_SLOT_BITS 20 /* so many slots at most: their clocks would not fit long before */

struct actor {
	uint32_t thread, slot, time;
	uint32_t start_time; /* of the thread: an earlier one may have had the slot */
	uint32_t hard_time;  /* when it last put something into a channel of MHB; 0: never */
	uint32_t lockset;    /* of real locks, in front.locksets */
	bool live;
	uint32_t arm; /* so many of its next events stand in the scope of a branch */
	VEC(struct open_section) open;
};

struct access {
	uint64_t number;
	uint32_t variable;
	bool reads, writes;
	bool counts; /* conflicts with others: not alloc or external */
};

struct front;
struct records;

struct order {
	const struct order_kind *kind;
	const struct front *front;
	struct order_limits limits;
	struct clock_table clock_table;
	struct hb_lock *locks; /* kinds with hb: what is handed on by locks; by lock number */
	size_t lock_count;
	/* The lowest time of each slot that all other live threads know of; empty: not known. */
	struct clock known_to_all;
	uint32_t items; /* for orders that settle: counts their steps */
	const char *forgot;
	uint64_t bytes; /* of what may be forgotten, as the order counts them */
};

/* What sets of locks mean for races of the order. */
enum order_locksets {
	LOCKSETS_DECIDE,
	/*
	 * Accesses that conflict with a lock in common are ordered, unless a limit made the order
	 * forget that.
	 */
	LOCKSETS_FILTER,
	LOCKSETS_FOLLOW, /* the same, and it never forgets */
};

struct order_kind {
	const char *name, *title;
	size_t size;	     /* of a struct that starts with struct order */
	unsigned clocks;     /* clock[0] knows of its own thread's time, unless there is no clock */
	unsigned race_clock; /* that decides on races, beside MHB */
	bool skips;	     /* it has to hold where threads skip what a branch governs, too */
	enum order_locksets locksets;
	bool hb; /* what a thread knows goes on from release to acquire, post to wait */
	void (*start)(struct order *o);
	void (*acquire)(struct order *o, struct actor *t, struct open_section *h);
	/*
	 * The rules that end at a release; then, with these done for all that one event leaves
	 * (often enough to follow from one to the other), the section is noted.
	 */
	void (*leave)(struct order *o, struct actor *t, struct open_section *h);
	void (*release)(struct order *o, struct actor *t, struct open_section *h);
	/* The rules that end at this access; then it is noted for those that start from it. */
	void (*access)(struct order *o, struct actor *t, const struct access *a);
	/*
	 * All variables of an access were seen. For orders in which others learn of every access:
	 * time goes on behind it.
	 */
	void (*access_end)(struct order *o, struct actor *t);
	/* The thread has learned by an edge of MHB; before anything else. */
	void (*learned)(struct order *o, struct actor *t);
	void (*branch)(struct order *o, struct actor *t, const struct event *e);
	/*
	 * For orders that are known only when all is over: gives each record (so far with
	 * clock[race_clock]) the clock that decides on races, and starts anew.
	 */
	void (*settle)(struct order *o, struct records *records);
	/* After every batch: drop what known_to_all makes useless, or a limit does not allow. */
	void (*collect)(struct order *o);
	void (*finish)(struct order *o);
};

extern const struct order_kind order_hb, order_cp, order_wcp, order_sdp, order_dc, order_wdp,
	order_drc, order_quick;

static inline struct knowledge *order_knows(struct order *o, const struct actor *t)
{
	return &o->clock_table.slots.at[t->slot];
}

#endif
