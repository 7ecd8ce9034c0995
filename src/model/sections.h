/* SPDX-License-Identifier: MIT */
/*
 * Critical sections: from an acquire, acquire-shared or woken to the thread's next release,
 * release-shared or wait of that lock. A thread that holds a lock shared several times has
 * one section, from the first to the last.
 */
#ifndef MODEL_SECTIONS_H
#define MODEL_SECTIONS_H

#include "model/index.h"

struct section {
	uint32_t acquire;
	uint32_t release; /* 0: the lock is never given back */
	uint32_t lock;
	uint32_t thread;
	uint32_t below; /* 1 + the section that its thread began last of those open then; or 0 */
	bool shared;
};

struct sections {
	VEC(struct section) all; /* by their acquires */
	/* Those of lock l are of_lock[first[l]] … of_lock[first[l + 1] - 1], by their acquires. */
	uint32_t *first, *of_lock;
	/* And those of thread t: of_thread[thread_first[t]] … */
	uint32_t *thread_first, *of_thread;
	/* 1 + the section that event n begins or ends, or 0 */
	uint32_t *at;
};

/*
 * Those of the trace, which belong to the index and go with it. They are made when they are first
 * asked for: who starts processes does that before, so that all share them.
 */
const struct sections *sections_of(const struct index *index);
/* For index_free; may be NULL. */
void sections_free(struct sections *sections);

/* The section of the lock that the thread is in when it comes to its event, or NULL. */
const struct section *sections_around(const struct sections *sections, uint32_t thread,
				      uint32_t lock, uint32_t event);

/*
 * The sections that the thread is in when it comes to its event, the last one first: the first of
 * them if `after` is NULL, else the next; NULL: no more.
 */
const struct section *sections_next(const struct sections *sections, uint32_t thread,
				    uint32_t event, const struct section *after);

/* Two threads can never be in both at a time. */
static inline bool sections_exclude(const struct section *a, const struct section *b)
{
	return a->lock == b->lock && a->thread != b->thread && !(a->shared && b->shared);
}

#endif
