/* SPDX-License-Identifier: MIT */
/*
 * The front: from events to the steps of an order; see order/kind.h. The edges that it adds
 * itself (doc/model.md, Orders):
 *
 *	MHB, for every order: program order; fork to the first event; the last event to join; the
 *	signal or broadcast to the woken that names it; barrier-enter to every barrier-exit of
 *	its round; once-end to later once-pass; alloc and external to later accesses of the
 *	variable
 *	HB, for the kinds with hb: release to later acquire, unless both are shared (wait
 *	releases, woken acquires; an atomic access does both, on its variable's own lock);
 *	sem-post to every later sem-wait
 *
 * try-fail, sem-fail, once-begin, mark: none.
 */
#ifndef ORDER_FRONT_H
#define ORDER_FRONT_H

#include "order/kind.h"
#include "order/lockset_table.h"

#define TRAIT_VOLATILE 1
#define TRAIT_CHANNEL 2 /* alloc or external: accesses learn of it */
#define TRAITS_TOGETHER 64

/* channel + 1 of each object, 0: none */
struct object_channels {
	VEC(uint32_t) v;
};

/* number + 1 of each lock or atomic variable, 0: none */
struct lock_numbers {
	VEC(uint32_t) v;
};

struct front_waiter {
	uint32_t thread;
	uint64_t wait_event;
};

struct front_signal {
	uint64_t event;
	uint32_t channel;
};

struct front_condition {
	VEC(struct front_waiter) waiters;
	VEC(struct front_signal) signals; /* while there are waiters */
};

struct front_round {
	uint64_t round;
	uint32_t channel, left; /* parties that have not come out */
};

struct front_barrier {
	uint64_t entered;
	VEC(struct front_round) rounds;
	VEC(struct front_round) inside; /* round: of thread `left` */
};

struct front {
	const struct symbols *symbols;
	struct clock_table mhb;
	VEC(struct actor) actors; /* by slot */
	VEC(uint32_t) slot_of;	  /* by thread: slot + 1, 0: none */
	VEC(uint32_t) ended;	  /* slots whose threads were joined */
	uint32_t reuse_from;	  /* slots, from which on ended ones are given away; 0: never */
	struct lock_numbers locks, variable_locks; /* variables: the atomic ones */
	VEC(uint8_t) traits;			   /* of variables: TRAIT_VOLATILE… */
	VEC(uint8_t) any_traits; /* of TRAITS_TOGETHER of them: few have one, and this is small */
	uint32_t lock_count, section_count;
	struct lockset_table locksets;
	struct object_channels variables, onces, semaphores; /* variables: alloc and external */
	VEC(struct front_condition) conditions;
	VEC(struct front_barrier) barriers;
	VEC(uint32_t) free_channels;
	uint32_t channel_count;
	struct order *order;
	/* Called for each access of a race's kind, after the order has seen it. */
	void (*accessed)(void *context, const struct actor *t, const struct event *e,
			 uint32_t variable, uint64_t number, bool atomic);
	void *context;
};

void front_init(struct front *f, const struct symbols *symbols, struct order *order);
void front_step(struct front *f, const struct event *e, uint64_t number);
void front_release(struct front *f);

/*
 * The thread, for nearly all accesses: of one that has started, to one variable that is neither
 * volatile nor atomic here, and that nothing of MHB hangs on. Else NULL.
 */
static inline struct actor *front_plain(const struct front *f, const struct event *e)
{
	bool plain = (e->kind == EV_READ || e->kind == EV_WRITE) && !e->order &&
		     !(e->more && e->more->part_count) && e->object < f->traits.n &&
		     (!f->any_traits.at[e->object / TRAITS_TOGETHER] || !f->traits.at[e->object]) &&
		     e->thread < f->slot_of.n && f->slot_of.at[e->thread];

	return plain ? &f->actors.at[f->slot_of.at[e->thread] - 1] : NULL;
}

/* The thread takes its next event: true if that stands in the scope of a branch. */
static inline bool front_is_governed(struct actor *t)
{
	if (__builtin_expect(!t->arm, 1))
		return false;
	t->arm--;
	return true;
}

struct order *order_new(const struct order_kind *kind, const struct order_limits *limits);
void order_free(struct order *o);

/*
 * Looks at what all live threads know and lets the orders drop what is of no more use; if
 * a thread that nobody forks may still start, nothing is known to all.
 */
void front_collect(struct front *f, bool all_started);

#endif
