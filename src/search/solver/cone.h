/* SPDX-License-Identifier: MIT */
/*
 * The part of a trace that a solver looks at: of each thread some events in a row, its
 * *nodes*. What comes before them has happened as recorded, up to one place in the trace
 * for all threads; what comes after them never happens. Whatever is possible within a cone
 * is possible in the trace. What is impossible in it is impossible in the trace only if it
 * is *enough*: it starts at the start, and nothing outside could help.
 *
 * The nodes of a thread follow each other: the next event of node n is node n + 1.
 */
#ifndef SEARCH_SOLVER_CONE_H
#define SEARCH_SOLVER_CONE_H

#include "model/needs.h"
#include "model/sections.h"
#include "search/solver/tune.h"
#include "trace/models.h"

#define NODE_START 0	     /* has happened before */
#define NODE_NONE UINT32_MAX /* never happens */

struct cone {
	const struct index *index;
	uint32_t low; /* the last event that has happened as recorded */
	uint32_t *start,
		*top;	 /* of each thread: the positions of its first event and behind its last */
	uint32_t *base;	 /* of each thread: its first node */
	uint32_t count;	 /* nodes 1 … count */
	uint32_t *event; /* of each node */
	uint32_t *by_trace; /* the nodes in the order of the trace, count of them */
	bool enough;
};

/* Facts of the trace that cones and formulas are made from. */
struct cone_facts {
	const struct index *index;
	const struct needs *needs;
	const struct sections *sections;
	enum model model;
	bool early;   /* signals may come early, and so say the needs */
	bool stuck;   /* for stuck states; early, too */
	bool endless; /* of engine_options */
};

/* All of the trace. */
struct cone *cone_whole(const struct index *index);
/* All that can matter for these events; NULL if that is more than limit nodes. */
struct cone *cone_enough(const struct cone_facts *facts, const uint32_t *events, uint32_t count,
			 uint32_t limit);
/* What was recorded behind low and up to high. */
struct cone *cone_window(const struct index *index, uint32_t low, uint32_t high);
void cone_free(struct cone *c);

static inline uint32_t cone_node(const struct cone *c, uint32_t event)
{
	uint32_t thread = c->index->events[event].thread, position = c->index->position[event];

	if (event <= c->low)
		return NODE_START;
	return position < c->top[thread] ? c->base[thread] + position - c->start[thread]
					 : NODE_NONE;
}

static inline uint32_t cone_thread(const struct cone *c, uint32_t node)
{
	return c->index->events[c->event[node]].thread;
}

/* The nodes of a thread are first … end - 1. */
static inline uint32_t cone_end(const struct cone *c, uint32_t thread)
{
	return c->base[thread] + c->top[thread] - c->start[thread];
}

#endif
