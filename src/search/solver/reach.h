/* SPDX-License-Identifier: MIT */
/*
 * Which nodes come before which, while edges are added and, the last ones first, taken back.
 *
 * Nodes are numbered from 1. They form chains: those of a chain have numbers in a row, and
 * each comes before the next. Of each node and chain two nodes are known: the first one of the
 * chain that comes after it, and the last one that comes before it (itself, in its own chain). So
 * a question takes one look, and an edge the time of what it changes.
 *
 * Every edge has a reason: literals, and ways between other nodes that were there before. No
 * edge may close a cycle: the caller asks before.
 */
#ifndef SEARCH_SOLVER_REACH_H
#define SEARCH_SOLVER_REACH_H

#include "sat/lit.h"

struct reach_way {
	uint32_t from, to;
};

/* All of these together; 0 (from 0): no more. None at all: the edge is always there. */
#define REASON_LITS 2
#define REASON_WAYS 3

struct reach_reason {
	lit lits[REASON_LITS];
	struct reach_way ways[REASON_WAYS];
};

struct reach_edge {
	uint32_t from, to;
	struct reach_reason reason;
	size_t firsts, lasts; /* changes before it */
	uint32_t explained;   /* the last time that its reason was told */
};

/* What an edge has changed: first[slot], or last[slot]. */
struct reach_change {
	uint32_t slot;
	uint32_t before, after;
	uint32_t edge;
	uint32_t older; /* of first: 1 + the change of this slot before this one, or 0 */
};

/* Node `node` now comes before the nodes low … high - 1, too, all of one chain. */
struct reach_news {
	uint32_t node, low, high;
};

/* A way that is to be explained, by changes before this one. */
struct reach_part {
	struct reach_way way;
	size_t limit;
};

#define REACH_NONE UINT32_MAX

struct reach {
	uint32_t chains, nodes; /* numbers of nodes are less than this */
	uint32_t *chain;	/* of each node */
	uint32_t *ends;		/* of each chain: behind its last node */
	/* by node * chains + chain */
	uint32_t *first;  /* the first node of the chain that comes after it; or REACH_NONE */
	uint32_t *last;	  /* the last one that comes before it; or 0 */
	uint32_t *newest; /* of first: 1 + its last change, or 0 */
	VEC(struct reach_edge) edges;
	VEC(struct reach_change) firsts, lasts;
	VEC(struct reach_news) news;  /* of the last edge */
	VEC(struct reach_part) parts; /* scratch */
	uint32_t explanations;
};

/* ends[c]: behind the last node of chain c; the first chain starts with node 1. */
struct reach *reach_new(const uint32_t *ends, uint32_t chains);
void reach_free(struct reach *r);

static inline uint32_t reach_first(const struct reach *r, uint32_t node, uint32_t chain)
{
	return r->first[(size_t)node * r->chains + chain];
}

static inline uint32_t reach_last(const struct reach *r, uint32_t node, uint32_t chain)
{
	return r->last[(size_t)node * r->chains + chain];
}

/* Or they are the same. */
static inline bool reach_before(const struct reach *r, uint32_t node, uint32_t other)
{
	return reach_first(r, node, r->chain[other]) <= other;
}

/* Fills r->news. */
void reach_add(struct reach *r, struct reach_way edge, const struct reach_reason *reason);
/* Back to so many edges. */
void reach_undo(struct reach *r, size_t edges);

/* The edges that there are stay for good, and are no longer part of an explanation. */
void reach_settle(struct reach *r);

/* A time, for explanations. */
static inline size_t reach_now(const struct reach *r)
{
	return r->firsts.n;
}

/* Adds to `why` literals from which the reason, as of that time, follows; some several times. */
void reach_explain(struct reach *r, const struct reach_reason *reason, size_t when,
		   struct lits *why);

#endif
