/* SPDX-License-Identifier: MIT */
/* What is wrong in a state (doc/model.md, Bugs). That it is stuck is search/explore/stuck.h's to
 * find. */
#ifndef SEARCH_EXPLORE_BUGS_H
#define SEARCH_EXPLORE_BUGS_H

#include "search/explore/space.h"

/*
 * Called for each bug: a race with its two accesses, ascending; a deadlock with the
 * waiting acquires, the smallest first, each before one whose thread holds what it
 * wants. A set of acquires that wait in more than one cycle comes more than once.
 */
typedef void bugs_found(void *context, enum bug_kind kind, const uint32_t *events, uint32_t n);

struct bugs {
	const struct space *s;
	bugs_found *found;
	void *context;
	/* room for as many as there are threads, used afresh for every state */
	uint32_t *accesses; /* that can happen next */
	bool *waits;	    /* of each thread */
	bool *on_path;
	uint32_t *path; /* threads, each waiting for the next */
	uint32_t *events;
};

void bugs_init(struct bugs *bugs, const struct space *s, bugs_found *found, void *context);
void bugs_release(struct bugs *bugs);

void bugs_find(struct bugs *bugs, const uint64_t *state);

bool bugs_is_stuck(const struct space *s, const uint64_t *state);

#endif
