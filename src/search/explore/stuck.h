/* SPDX-License-Identifier: MIT */
/*
 * Stuck states of a small trace, by going through its states (doc/model.md, Stuck), with signals
 * that come early and with partial-order reduction: of the states between only some are
 * looked at, of those in which nobody can move all.
 */
#ifndef SEARCH_EXPLORE_STUCK_H
#define SEARCH_EXPLORE_STUCK_H

#include "search/explore/explore.h"

struct stuck_options {
	struct explore_limits limits;
	bool first; /* one is enough */
	bool all;   /* without reduction: for comparing */
	/* only those states in which each of these events waits */
	const uint32_t *events;
	uint32_t count;
};

struct stuck_result {
	uint64_t states;
	/* For each set of events that threads wait at one, which names them all; ascending. */
	VEC(struct explore_finding) found;
};

/* 0, or ERR_LIMIT: undecided, and the result is empty. */
int stuck_explore(const struct index *index, enum model model, const struct stuck_options *options,
		  struct stuck_result *result, struct err *err);
void stuck_result_release(struct stuck_result *result);

#endif
