/* SPDX-License-Identifier: MIT */
/* What a replay has to know of the kind of bug that a plan leads to: a row of the table in kind.c.
 */
#ifndef REPLAY_KIND_H
#define REPLAY_KIND_H

#include "replay/planner.h"

struct replay_kind {
	/* "both at ": what is said before the places when it is shown. */
	const char *stand;
	/*
	 * It is shown where threads stand. Then the run goes on. Else they are let go to block, and
	 * the run goes no further.
	 */
	bool goes_on;
	/* Two threads stand at accesses that meet. The run goes on once with each of them first. */
	bool pair;
	/* Threads that are blocked show it, whatever others do meanwhile. */
	bool lasts;
};

const struct replay_kind *replay_kind_of(const struct replay_plan *plan);

#endif
