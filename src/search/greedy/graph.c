/* SPDX-License-Identifier: MIT */
/* Nodes, edges and clocks; the rules are in order.c. */
#include "search/greedy/graph.h"

#include <string.h>

#define NO_COLUMN UINT32_MAX

void greedy_graph_init(struct greedy_graph *g, struct greedy_set *set)
{
	uint32_t threads = set->index->thread_count;

	memset(g, 0, sizeof(*g));
	g->set = set;
	g->start = mem_alloc_zero(threads, sizeof(*g->start));
	g->base = mem_alloc_zero(threads, sizeof(*g->base));
	g->column = mem_alloc_zero(threads, sizeof(*g->column));
}

void greedy_graph_release(struct greedy_graph *g)
{
	mem_free(g->start);
	mem_free(g->base);
	mem_free(g->column);
	vec_release(&g->column_start);
	vec_release(&g->event);
	vec_release(&g->clocks);
	vec_release(&g->in);
	vec_release(&g->out);
	vec_release(&g->edges);
	vec_release(&g->work);
	vec_release(&g->sections.all);
	vec_release(&g->sections.groups);
	vec_release(&g->writes.all);
	vec_release(&g->writes.groups);
}

static void lay_out(struct greedy_graph *g)
{
	const struct index *index = g->set->index;

	g->nodes = g->columns = 0;
	g->edges.n = g->work.n = g->column_start.n = g->event.n = g->in.n = g->out.n = 0;
	g->clocks.n = 0;
	g->cycle = false;
	g->stray = 0;
	g->in_front = g->set->kind != SET_MUST;
	for (uint32_t t = 0; t < index->thread_count; t++) {
		uint32_t cut = g->set->cut[t];

		g->base[t] = g->nodes;
		g->column[t] = NO_COLUMN;
		if (g->start[t] >= cut)
			continue;
		g->column[t] = g->columns++;
		vec_push(&g->column_start, g->in_front ? g->start[t] : 0);
		for (uint32_t p = g->start[t]; p < cut; p++)
			vec_push(&g->event, index->threads[t].events[p]);
		g->nodes = (uint32_t)g->event.n;
	}
	vec_extend(&g->in, g->nodes);
	vec_extend(&g->out, g->nodes);
}

static uint32_t *clock_of(const struct greedy_graph *g, uint32_t node)
{
	return g->clocks.at + (size_t)node * g->columns;
}

uint32_t greedy_graph_before(const struct greedy_graph *g, uint32_t event, uint32_t thread)
{
	if (g->column[thread] == NO_COLUMN)
		return g->in_front ? g->set->cut[thread] : 0;
	if (!greedy_graph_has(g, event))
		return g->in_front ? g->start[thread] : 0;
	return clock_of(g, greedy_graph_node(g, event))[g->column[thread]];
}

/* All before x, and x itself, comes before y; true if that is news. */
static bool join(struct greedy_graph *g, uint32_t y, uint32_t x)
{
	const struct index *index = g->set->index;
	uint32_t *to = clock_of(g, y), *from = clock_of(g, x);
	uint32_t event = g->event.at[x], column = g->column[index->events[event].thread];
	bool news = false;

	for (uint32_t c = 0; c < g->columns; c++) {
		if (from[c] > to[c]) {
			to[c] = from[c];
			news = true;
		}
	}
	if (to[column] <= index->position[event]) {
		to[column] = index->position[event] + 1;
		news = true;
	}
	return news;
}

static bool is_cyclic(const struct greedy_graph *g, uint32_t node)
{
	const struct index *index = g->set->index;
	uint32_t event = g->event.at[node];

	return clock_of(g, node)[g->column[index->events[event].thread]] > index->position[event];
}

static bool is_last(const struct greedy_graph *g, uint32_t node)
{
	uint32_t event = g->event.at[node];

	return g->set->index->position[event] + 1 ==
	       g->set->cut[g->set->index->events[event].thread];
}

static void spread(struct greedy_graph *g, uint32_t node)
{
	g->work.n = 0;
	vec_push(&g->work, node);
	while (g->work.n && !g->cycle) {
		uint32_t x = g->work.at[--g->work.n];

		if (is_cyclic(g, x))
			g->cycle = true;
		if (!is_last(g, x) && join(g, x + 1, x))
			vec_push(&g->work, x + 1);
		for (uint32_t i = g->out.at[x]; i; i = g->edges.at[i - 1].next_out)
			if (join(g, g->edges.at[i - 1].to, x))
				vec_push(&g->work, g->edges.at[i - 1].to);
	}
}

static void put_edge(struct greedy_graph *g, uint32_t x, uint32_t y)
{
	struct greedy_graph_edge edge = {x, y, g->out.at[x], g->in.at[y]};

	vec_push(&g->edges, edge);
	g->out.at[x] = g->in.at[y] = (uint32_t)g->edges.n;
}

/* What may be skipped has its place in its thread and knows no other order. */
static bool may_skip_any(const struct greedy_graph *g, uint32_t before, uint32_t after)
{
	return g->set->index->arm &&
	       (greedy_set_may_skip(g->set, before) || greedy_set_may_skip(g->set, after));
}

void greedy_graph_add(struct greedy_graph *g, uint32_t before, uint32_t after)
{
	const struct index *index = g->set->index;

	if (g->cycle || !greedy_set_has(g->set, before) || !greedy_set_has(g->set, after) ||
	    !greedy_graph_has(g, before) || may_skip_any(g, before, after))
		return;
	if (before == after) {
		g->cycle = true;
		return;
	}
	if (!greedy_graph_has(g, after)) {
		if (g->in_front)
			g->stray = after;
		return;
	}
	uint32_t x = greedy_graph_node(g, before), y = greedy_graph_node(g, after);

	if (g->clocks.n) {
		if (greedy_graph_before(g, after, index->events[before].thread) >
		    index->position[before])
			return;
		put_edge(g, x, y);
		if (join(g, y, x))
			spread(g, y);
	} else if (index->events[before].thread != index->events[after].thread) {
		put_edge(g, x, y);
	} else if (index->position[before] > index->position[after]) {
		g->cycle = true;
	}
}

static void put_need(struct greedy_graph *g, uint32_t before, uint32_t after)
{
	const struct index *index = g->set->index;
	uint32_t column = g->column[index->events[before].thread];

	if (before > after || !greedy_set_has(g->set, before) || may_skip_any(g, before, after))
		return;
	if (greedy_graph_has(g, before)) {
		put_edge(g, greedy_graph_node(g, before), greedy_graph_node(g, after));
		if (g->clocks.n)
			join(g, greedy_graph_node(g, after), greedy_graph_node(g, before));
	} else if (g->clocks.n && column != NO_COLUMN) {
		uint32_t *clock = clock_of(g, greedy_graph_node(g, after));

		if (clock[column] <= index->position[before])
			clock[column] = index->position[before] + 1;
	}
}

/* In trace order, by the edges that lead forward: most do, and each clock is made once. */
static void add_node(struct greedy_graph *g, uint32_t n)
{
	const struct needs *needs = g->set->facts->needs;
	const struct index *index = g->set->index;
	uint32_t node = greedy_graph_node(g, n);

	if (g->clocks.n) {
		memcpy(clock_of(g, node), g->column_start.at, g->columns * sizeof(*g->clocks.at));
		if (index->position[n] > g->start[index->events[n].thread])
			join(g, node, node - 1);
		else
			clock_of(g, node)[g->column[index->events[n].thread]] = index->position[n];
	}
	for (uint32_t i = needs->first[n]; i < needs->first[n + 1]; i++)
		put_need(g, needs->events[i], n);
	if (!greedy_set_keeps(g->set, n))
		return;
	for (uint32_t p = index->parts[n]; p < index->parts[n + 1]; p++) {
		uint32_t writer = greedy_set_source(g->set, n, p);

		if (writer && writer != SOURCE_ANY)
			put_need(g, writer, n);
	}
}

/* A kept read whose value comes from a write that was recorded later. */
static void add_sources(struct greedy_graph *g)
{
	for (size_t i = 0; i < g->set->sources.n; i++) {
		const struct greedy_set_source *source = &g->set->sources.at[i];

		if (source->writer)
			greedy_graph_add(g, source->writer, source->read);
	}
}

enum greedy_graph_result greedy_graph_build(struct greedy_graph *g, const struct event_list *list,
					    const struct greedy_graph_wish *wishes,
					    size_t wish_count, size_t clocks)
{
	size_t edges;

	lay_out(g);
	if ((size_t)g->nodes * g->columns <= clocks)
		vec_extend(&g->clocks, (size_t)g->nodes * g->columns);
	for (size_t i = 0; i < list->at.n; i++)
		add_node(g, list->at.at[i]);
	add_sources(g);
	greedy_graph_find_items(g, list);
	greedy_graph_add_objects(g, list);
	for (size_t i = 0; i < wish_count; i++)
		greedy_graph_add(g, wishes[i].before, wishes[i].after);
	do {
		edges = g->edges.n;
		if (greedy_is_over(g->set->clock))
			return GRAPH_OVER;
		if (g->clocks.n && !g->cycle && !g->stray && !greedy_graph_apply_rules(g))
			return g->set->failed ? GRAPH_CYCLE : GRAPH_GREW;
	} while (!g->cycle && !g->stray && g->edges.n > edges);
	return g->cycle ? GRAPH_CYCLE : g->stray ? GRAPH_STRAY : GRAPH_FINE;
}
