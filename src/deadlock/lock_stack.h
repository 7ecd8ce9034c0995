/* SPDX-License-Identifier: MIT */
/* What a thread holds, followed event by event: a stack, since locks are mostly left in turn. */
#ifndef DEADLOCK_LOCK_STACK_H
#define DEADLOCK_LOCK_STACK_H

#include "trace/event.h"

struct stacked_lock {
	uint32_t lock;
	uint32_t acquire; /* the event that took it */
	uint32_t times;	  /* a thread may hold a lock shared more than once */
	bool shared;
};

struct lock_stack {
	VEC(struct stacked_lock) at; /* in the order in which they were taken */
};

/* The lock that an acquire, acquire-shared or woken takes; false: it is none of these. */
static inline bool lock_stack_wanted(const struct event *e, uint32_t *lock, bool *shared)
{
	*shared = e->kind == EV_ACQUIRE_SHARED;
	*lock = e->kind == EV_WOKEN ? e->more->lock : e->object;
	return e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED || e->kind == EV_WOKEN;
}

/* Event n of the thread has happened. */
void lock_stack_follow(struct lock_stack *h, uint32_t n, const struct event *e);

#endif
