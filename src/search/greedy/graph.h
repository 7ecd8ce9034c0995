/* SPDX-License-Identifier: MIT */
/*
 * What has to come before what in an order of a set: edges between its events, and for each
 * event how much of every thread has to come before it, its clock. Rules add edges until none
 * follows any more:
 *
 *	sections	if one has to begin before another of its lock can end, it is over
 *			before the other begins
 *	last writers	a write of the variable does not come between a kept read and the write
 *			that it reads
 *
 * Nodes are the last events of each thread in the set, perhaps all. In a graph of a must set
 * nothing is known of the others, every edge holds in every execution, and a cycle refutes. Else
 * the others come in front, as recorded. Without clocks (there are too many nodes for them) only
 * the edges that need none are found.
 */
#ifndef SEARCH_GREEDY_GRAPH_H
#define SEARCH_GREEDY_GRAPH_H

#include "search/greedy/set.h"

struct greedy_graph_edge {
	uint32_t from, to;	    /* nodes */
	uint32_t next_out, next_in; /* 1 + the place of the next, or 0 */
};

/* A section whose end is a node, or a write; by object, thread and position. */
struct greedy_graph_item {
	uint32_t object, thread;
	uint32_t position;
	uint32_t number; /* of the section, or the event */
};

/* The items of one object by one thread. */
struct greedy_graph_group {
	uint32_t object, thread;
	uint32_t first, count;
};

struct greedy_graph_items {
	VEC(struct greedy_graph_item) all;
	VEC(struct greedy_graph_group) groups;
};

/* An event that is to come before another, by choice. */
struct greedy_graph_wish {
	uint32_t before, after;
};

struct greedy_graph {
	struct greedy_set *set;
	bool in_front;	/* the events that are no nodes come before those that are */
	uint32_t stray; /* an event that should be a node, to come after another, or 0 */
	uint32_t nodes, columns;
	/* of each thread */
	uint32_t *start;  /* position of its first node: the choice of who builds the graph */
	uint32_t *base;	  /* number of that node */
	uint32_t *column; /* in clocks */
	VEC(uint32_t) column_start; /* of each column: what is before every node */
	VEC(uint32_t) event;	    /* of each node */
	VEC(uint32_t) clocks;	    /* nodes times columns; empty: none are kept */
	VEC(uint32_t) in, out;	    /* of each node: 1 + the first edge, or 0 */
	VEC(struct greedy_graph_edge) edges;
	VEC(uint32_t) work;
	struct greedy_graph_items sections, writes;
	bool cycle;
};

void greedy_graph_init(struct greedy_graph *g, struct greedy_set *set);
void greedy_graph_release(struct greedy_graph *g);

/*
 * FINE: an order may exist. CYCLE: none does. GREW: an event was added to the set. STRAY:
 * g->stray, which comes in front, would have to be a node. OVER: out of time.
 */
enum greedy_graph_result { GRAPH_FINE, GRAPH_CYCLE, GRAPH_GREW, GRAPH_STRAY, GRAPH_OVER };

/*
 * g->start says which events are nodes; list has them in trace order. clocks: at most that many
 * numbers, or the graph has none.
 */
enum greedy_graph_result greedy_graph_build(struct greedy_graph *g, const struct event_list *list,
					    const struct greedy_graph_wish *wishes,
					    size_t wish_count, size_t clocks);

static inline bool greedy_graph_has(const struct greedy_graph *g, uint32_t event)
{
	return g->set->index->position[event] >= g->start[g->set->index->events[event].thread] &&
	       greedy_set_has(g->set, event);
}

static inline uint32_t greedy_graph_node(const struct greedy_graph *g, uint32_t event)
{
	uint32_t thread = g->set->index->events[event].thread;

	return g->base[thread] + g->set->index->position[event] - g->start[thread];
}

/* For graph.c and order.c: */

void greedy_graph_add(struct greedy_graph *g, uint32_t before, uint32_t after); /* events */
/* How many events of the thread have to come before this one. */
uint32_t greedy_graph_before(const struct greedy_graph *g, uint32_t event, uint32_t thread);
void greedy_graph_find_items(struct greedy_graph *g, const struct event_list *list);
/* Edges of objects: by rules for every execution, or (moved sets) as recorded. */
void greedy_graph_add_objects(struct greedy_graph *g, const struct event_list *list);
/* One round of the rules; false: the set grew or cannot, see set->failed. */
bool greedy_graph_apply_rules(struct greedy_graph *g);

#endif
