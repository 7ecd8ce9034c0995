/* What a thread holds, followed event by event: a stack, since locks are mostly left in turn. */
#ifndef DEADLOCK_HOLDS_H
#define DEADLOCK_HOLDS_H

#include "trace/event.h"

struct taken {
	uint32_t lock;
	uint32_t acquire; /* the event that took it */
	uint32_t times;	  /* a thread may hold a lock shared more than once */
	bool shared;
};

struct holds {
	VEC(struct taken) at; /* in the order in which they were taken */
};

/* The lock that an acquire, acquire-shared or woken takes; false: it is none of these. */
static inline bool holds_wanted(const struct event *e, uint32_t *lock, bool *shared)
{
	*shared = e->kind == EV_ACQUIRE_SHARED;
	*lock = e->kind == EV_WOKEN ? e->more->lock : e->object;
	return e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED || e->kind == EV_WOKEN;
}

/* Event n of the thread has happened. */
void holds_follow(struct holds *h, uint32_t n, const struct event *e);

#endif
