/* SPDX-License-Identifier: MIT */
/*
 * Random small processes, and what they mean: not by what they do step by step, but by the
 * equations for sets of traces, failures and divergences that Roscoe's book has for each operator.
 * It knows traces of up to NAIVE_LENGTH events. It shares nothing with src/csp.
 */
#ifndef SUPPORT_NAIVE_CSP_H
#define SUPPORT_NAIVE_CSP_H

#include "tests/support/random.h"

#include <stddef.h>

#define NAIVE_EVENTS 3 /* a, b, c; then tick */
#define NAIVE_TICK NAIVE_EVENTS
#define NAIVE_SYMBOLS (NAIVE_EVENTS + 1)
#define NAIVE_LENGTH 6
#define NAIVE_TRACES 5461 /* nodes of a tree of that depth: 1 + 4 + … + 4^6 */

/* A trace is a node of the tree of all traces; 0 is the empty one. */
static inline uint32_t naive_longer(uint32_t trace, uint32_t symbol)
{
	return trace * NAIVE_SYMBOLS + 1 + symbol;
}

struct naive {
	bool trace[NAIVE_TRACES];
	bool diverges[NAIVE_TRACES];	/* silently, for ever */
	uint16_t refuses[NAIVE_TRACES]; /* bit X: all of the set X of symbols may be refused */
};

struct naive_process;

/* recursive: it may contain itself, at its end. */
struct naive_process *naive_random(struct random *r, bool recursive);
void naive_free(struct naive_process *p);
/* As CSP_M, in brackets; X is the process itself. */
void naive_print(const struct naive_process *p, char *to, size_t room);
/* What it means; of a recursive one, up to the length. */
void naive_meaning(const struct naive_process *p, struct naive *to);

enum naive_model { NAIVE_T, NAIVE_F, NAIVE_FD };
bool naive_refines(const struct naive *spec, const struct naive *impl, enum naive_model model);
/* Does one of them break the refinement after exactly this trace? */
bool naive_breaks(const struct naive *spec, const struct naive *impl, enum naive_model model,
		  uint32_t trace);
bool naive_deadlocks(const struct naive *p);
bool naive_diverges(const struct naive *p);
bool naive_deterministic(const struct naive *p);

#endif
