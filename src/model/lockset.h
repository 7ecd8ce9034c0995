/* SPDX-License-Identifier: MIT */
/*
 * The locks that each thread holds before each of its events. A thread's own
 * events fix them, whatever the others do, so they are the same in every
 * execution. Sets are numbered: equal sets have equal numbers, and 0 is empty.
 */
#ifndef MODEL_LOCKSET_H
#define MODEL_LOCKSET_H

#include "model/index.h"

struct held_lock {
	uint32_t lock;
	uint32_t shared; /* 1: held as a reader */
};

struct locksets {
	const struct index *index;
	uint32_t *before;   /* of each event, the set that its thread holds when it comes to it */
	uint32_t *at_end;   /* of each thread, the set that it holds after its last event */
	struct intern sets; /* of struct held_lock, ascending by lock */
};

struct locksets *locksets_new(const struct index *index);
void locksets_free(struct locksets *locks);

/* How the set holds the lock, or NULL. */
const struct held_lock *locksets_find(const struct locksets *locks, uint32_t set, uint32_t lock);

/* Two threads can never hold these at a time: a common lock that not both hold shared. */
bool locksets_exclude(const struct locksets *locks, uint32_t a, uint32_t b);

#endif
