/* SPDX-License-Identifier: MIT */
/*
 * The exhaustive engine: every feasible execution of a small trace, by going
 * through all states (how far each thread is, what variables hold, what reads
 * returned) with a set of those already seen. It is the yardstick for every
 * faster engine. It knows nothing of the certifier; each checks the other.
 */
#ifndef SEARCH_EXPLORE_EXPLORE_H
#define SEARCH_EXPLORE_EXPLORE_H

#include "model/index.h"
#include "witness/witness.h"

struct explore_limits {
	uint64_t states; /* 0: none */
	uint64_t bytes;
};

struct explore_finding {
	struct witness witness; /* of the first, that is a shortest, execution found */
};

struct explore_result {
	/* As sequences of events, the empty one included; UINT64_MAX: that many or more. */
	uint64_t executions;
	uint64_t proper; /* of these, those that cannot go on */
	uint64_t states;
	/*
	 * By kind. Races and deadlocks: sorted by their ascending sets of events, each set once.
	 * Races in model said: pairs that can follow each other directly in an execution of the
	 * whole trace, with which `rest` begins. Stuck: as search/explore/stuck.h has them.
	 * Atomicity: by their first accesses, the last ones and the remote ones.
	 */
	VEC(struct explore_finding) bugs[BUG_COUNT];
};

/* 0, or ERR_LIMIT: undecided, and the result is empty. */
int explore(const struct index *index, enum model model, const struct explore_limits *limits,
	    struct explore_result *result, struct err *err);
void explore_result_release(struct explore_result *result);

/* Calls each with every proper execution, in order, until it returns false. */
typedef bool explore_visit(void *context, const uint32_t *events, size_t n);
int explore_list(const struct index *index, enum model model, const struct explore_limits *limits,
		 explore_visit *visit, void *context, struct err *err);

/* Does the engine itself think that this witness is right? For tests of the certifier. */
bool explore_accepts(const struct index *index, const struct witness *witness);

#endif
