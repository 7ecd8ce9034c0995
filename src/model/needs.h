/* SPDX-License-Identifier: MIT */
/*
 * What has to have happened before an event can, in every execution (doc/model.md): its
 * thread's earlier events, and those listed here. The lists are short and leave out what
 * follows from others. A wait is needed by the signal that wakes it; a `free` needs nothing
 * of the accesses before it, since it may come without them.
 */
#ifndef MODEL_NEEDS_H
#define MODEL_NEEDS_H

#include "model/index.h"

struct needs {
	uint32_t *first;  /* those of event n are events[first[n]] … events[first[n + 1] - 1] */
	uint32_t *events; /* of other threads, or (rarely) of the same */
	uint32_t *alloc, *free; /* of each variable: the event, or 0 */
};

struct needs *needs_new(const struct index *index);
/* The same where signals may come early (doc/model.md, Conditions): they need no wait. */
struct needs *needs_new_early(const struct index *index);
void needs_free(struct needs *needs);

#endif
