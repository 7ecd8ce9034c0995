/* SPDX-License-Identifier: MIT */
/*
 * A large random trace of nested locks, made as it is asked for: each thread takes and leaves
 * locks at random, in any order, and reads and writes variables at random meanwhile. So nearly
 * every access has a set of locks of its own. Consistent.
 */
#ifndef SUPPORT_NESTED_LOCKS_H
#define SUPPORT_NESTED_LOCKS_H

#include "trace/reader.h"

struct nested_locks;

struct nested_locks_shape {
	uint64_t events;
	uint32_t threads, variables, locks;
	uint32_t nested;	/* so many locks at a time at most */
	uint32_t reads, writes; /* percent of all events; the others take and leave locks */
	uint32_t locations;	/* 0: none */
	bool guarded;		/* each variable is accessed only with a lock of its own held */
	uint64_t seed;
};

struct nested_locks *nested_locks_new(const struct nested_locks_shape *shape);
const struct symbols *nested_locks_symbols(const struct nested_locks *n);
/* As reader_next; the batch is valid until the next call. */
int nested_locks_next(struct nested_locks *n, struct batch *batch);
void nested_locks_free(struct nested_locks *n);

#endif
