/* SPDX-License-Identifier: MIT */
/* The parts of cycles.c: which locks are on a cycle at all, and what comes before what. */
#ifndef DEADLOCK_CYCLES_PARTS_H
#define DEADLOCK_CYCLES_PARTS_H

#include "deadlock/cycles.h"

/* A want whose thread holds the lock that an edge comes from. */
struct link {
	uint32_t want;
	uint32_t shared; /* the hold */
};

/* Somebody holds lock `from` and wants `to`. */
struct lock_edge {
	uint32_t from, to;
	uint32_t first, count; /* of links */
};

/* Edges, with the links of those that are on a cycle of locks which may be a deadlock. */
struct lock_graph {
	VEC(struct lock_edge) edges; /* by their first wants */
	struct intern keys;	     /* from and to, numbered as edges */
	struct link *links;
	uint32_t *first, *of_lock; /* the edges from lock l: of_lock[first[l]] … */
};

void lock_graph_init(struct lock_graph *g, const struct wants *wants);
void lock_graph_release(struct lock_graph *g);
/* NULL: there is none, or it is on no cycle. */
const struct lock_edge *lock_graph_edge(const struct lock_graph *g, uint32_t from, uint32_t to);

struct cycles {
	const struct index *index;
	struct wants *wants;
	struct past *past;
	struct lock_graph graph;
	/* for cycles_each_at, made when it is first asked for: wants by where they stand */
	uint32_t *site_first, *of_site; /* of_site[site_first[s]] … */
	struct intern met; /* pairs of wants that were compared, numbered as may_meet */
	VEC(bool) may_meet;
};

/* Can both be next in one execution, as far as what always comes before what can tell? */
static inline bool cycles_unordered(const struct cycles *c, uint32_t a, uint32_t b)
{
	return !past_has(c->past, c->index, a, b) && !past_has(c->past, c->index, b, a);
}

#endif
