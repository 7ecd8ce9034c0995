/* SPDX-License-Identifier: MIT */
/*
 * Fewer switches: what depends on each other in the run is an edge, and any order along the edges
 * does the same. Take one in which each thread goes on until it has to wait for another.
 */
#include "predict/minimise_parts.h"

#include <string.h>

struct edge {
	uint32_t from, to; /* places in the run */
};

struct graph {
	const struct minimiser *m;
	const event_run *run;
	const bool *matters; /* of each place; NULL: all do */
	VEC(struct edge) edges;
	/* successors of place i, in the direction looked at: to[first[i]] … to[first[i + 1] - 1] */
	uint32_t *first, *to;
	uint32_t *waits; /* of each place: predecessors that have not happened */
};

/* What was last done to each object. */
struct last {
	uint32_t *thread, *object[CLASS_COUNT]; /* 1 + place; of a variable, that wrote it */
	/* reads of a variable since it was written, as lists through the places */
	uint32_t *readers;	/* of each variable, 1 + (entry) */
	VEC(struct edge) lists; /* from: place, to: the next entry, 1 + */
	bool *lives;		/* of each variable: some read of it matters, or it is fixed */
	bool *fixed;		/* of each variable: it comes, goes or changes */
};

static void add_edge(struct graph *g, uint32_t from_plus_1, size_t to)
{
	struct edge edge = {from_plus_1 - 1, (uint32_t)to};

	if (from_plus_1)
		vec_push(&g->edges, edge);
}

static const struct event *event_at(const struct graph *g, size_t place)
{
	return &g->m->index->events[g->run->at[place]];
}

static bool does_matter(const struct graph *g, size_t place)
{
	return !g->matters || g->matters[place];
}

static void find_live(const struct graph *g, struct last *last)
{
	for (size_t i = 0; i < g->run->n; i++) {
		const struct event *e = event_at(g, i);
		bool fixes = e->kind == EV_ALLOC || e->kind == EV_FREE || e->kind == EV_EXTERNAL;

		for (uint32_t p = 0; p < event_part_count(e); p++) {
			last->lives[event_part(e, p).variable] |= fixes || does_matter(g, i);
			last->fixed[event_part(e, p).variable] |= fixes;
		}
	}
}

/* A read that does not matter may move, unless the variable comes, goes or changes. */
static void link_access(struct graph *g, struct last *last, size_t i)
{
	const struct event *e = event_at(g, i);

	for (uint32_t p = 0; p < event_part_count(e); p++) {
		uint32_t variable = event_part(e, p).variable;
		bool reads_only = !event_is(e, EV_STORES) && e->kind != EV_ALLOC;

		if (!last->lives[variable] ||
		    (reads_only && !does_matter(g, i) && !last->fixed[variable]))
			continue;
		add_edge(g, last->object[CLASS_VARIABLE][variable], i);
		if (reads_only) {
			struct edge entry = {(uint32_t)i, last->readers[variable]};

			vec_push(&last->lists, entry);
			last->readers[variable] = (uint32_t)last->lists.n;
			continue;
		}
		for (uint32_t r = last->readers[variable]; r; r = last->lists.at[r - 1].to)
			add_edge(g, last->lists.at[r - 1].from + 1, i);
		last->readers[variable] = 0;
		last->object[CLASS_VARIABLE][variable] = (uint32_t)i + 1;
	}
}

/* Everything else that is done to an object stays in order. */
static void link_object(struct graph *g, struct last *last, size_t i)
{
	const struct event *e = event_at(g, i);
	enum object_class class = event_kind_class[e->kind];
	uint32_t object = class == CLASS_MARK ? 0 : e->object; /* marks: all of them */

	if (class != CLASS_NONE) {
		add_edge(g, last->object[class][object], i);
		last->object[class][object] = (uint32_t)i + 1;
	}
	if (e->kind == EV_WAIT || e->kind == EV_WOKEN) {
		add_edge(g, last->object[CLASS_LOCK][e->more->lock], i);
		last->object[CLASS_LOCK][e->more->lock] = (uint32_t)i + 1;
	}
}

static void link_needs(struct graph *g, const uint32_t *place, size_t i)
{
	const struct needs *needs = g->m->needs;
	uint64_t n = g->run->at[i];

	for (uint32_t k = needs->first[n]; k < needs->first[n + 1]; k++)
		if (place[needs->events[k]] && place[needs->events[k]] <= i)
			add_edge(g, place[needs->events[k]], i);
}

static void find_edges(struct graph *g)
{
	const struct index *index = g->m->index;
	size_t variables = symbols_count(index->symbols, CLASS_VARIABLE);
	struct last last = {0};

	last.thread = mem_alloc_zero(index->thread_count + 1, sizeof(*last.thread));
	for (int c = 0; c < CLASS_COUNT; c++)
		last.object[c] = mem_alloc_zero(symbols_count(index->symbols, c) + 1,
						sizeof(*last.object[c]));
	last.readers = mem_alloc_zero(variables + 1, sizeof(*last.readers));
	last.lives = mem_alloc_zero(variables + 1, sizeof(*last.lives));
	last.fixed = mem_alloc_zero(variables + 1, sizeof(*last.fixed));
	find_live(g, &last);
	for (size_t i = 0; i < g->run->n; i++) {
		const struct event *e = event_at(g, i);

		add_edge(g, last.thread[e->thread], i);
		last.thread[e->thread] = (uint32_t)i + 1;
		link_needs(g, g->m->place, i);
		if (event_is(e, EV_ACCESS))
			link_access(g, &last, i);
		else
			link_object(g, &last, i);
	}
	mem_free(last.thread);
	for (int c = 0; c < CLASS_COUNT; c++)
		mem_free(last.object[c]);
	mem_free(last.readers);
	mem_free(last.lives);
	vec_release(&last.lists);
	mem_free(last.fixed);
}

/* Sorts the edges by where they start; backwards: where they end. */
static void prepare(struct graph *g, bool backwards)
{
	uint32_t n = (uint32_t)g->run->n;

	memset(g->first, 0, ((size_t)n + 2) * sizeof(*g->first));
	memset(g->waits, 0, (size_t)n * sizeof(*g->waits));
	for (size_t i = 0; i < g->edges.n; i++) {
		struct edge e = g->edges.at[i];

		g->first[(backwards ? e.to : e.from) + 2]++;
		g->waits[backwards ? e.from : e.to]++;
	}
	for (uint32_t i = 2; i <= n + 1; i++)
		g->first[i] += g->first[i - 1];
	for (size_t i = 0; i < g->edges.n; i++) {
		struct edge e = g->edges.at[i];

		g->to[g->first[(backwards ? e.to : e.from) + 1]++] = backwards ? e.from : e.to;
	}
}

/* A heap with the least on top. */
typedef VEC(uint32_t) heap;

static void heap_push(heap *h, uint32_t value)
{
	vec_push(h, value);
	for (size_t i = h->n - 1; i && h->at[(i - 1) / 2] > h->at[i]; i = (i - 1) / 2) {
		uint32_t swap = h->at[i];

		h->at[i] = h->at[(i - 1) / 2];
		h->at[(i - 1) / 2] = swap;
	}
}

static uint32_t heap_pop(heap *h)
{
	uint32_t top = h->at[0], moved = h->at[--h->n];
	size_t i = 0;

	for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
		child += child + 1 < h->n && h->at[child + 1] < h->at[child];
		if (moved <= h->at[child])
			break;
		h->at[i] = h->at[child];
	}
	if (h->n)
		h->at[i] = moved;
	return top;
}

struct walk {
	struct graph *g;
	bool backwards;
	bool last_first;
	bool *done;
	heap ready;	      /* places that can come next; from the back: n - 1 - place */
	VEC(uint32_t) lately; /* the same, if last_first, in the order in which they came */
};

static uint32_t mirrored(const struct walk *w, uint32_t place)
{
	return w->backwards ? (uint32_t)(w->g->run->n - 1) - place : place;
}

static uint32_t next_ready(struct walk *w)
{
	while (w->lately.n) {
		uint32_t place = w->lately.at[--w->lately.n];

		if (!w->done[place])
			return place;
	}
	for (;;) {
		ASSERT(w->ready.n);
		uint32_t place = mirrored(w, heap_pop(&w->ready));

		if (!w->done[place])
			return place;
	}
}

/* Takes it; returns the next event of its thread if that can come now, else UINT32_MAX. */
static uint32_t take(struct walk *w, uint32_t place)
{
	struct graph *g = w->g;
	uint32_t own = UINT32_MAX;

	w->done[place] = true;
	for (uint32_t k = g->first[place]; k < g->first[place + 1]; k++) {
		uint32_t to = g->to[k];

		if (--g->waits[to])
			continue;
		if (event_at(g, to)->thread == event_at(g, place)->thread)
			own = to;
		else if (w->last_first)
			vec_push(&w->lately, to);
		else
			heap_push(&w->ready, mirrored(w, to));
	}
	return own;
}

static void reverse(event_run *run)
{
	for (size_t i = 0; i < run->n / 2; i++) {
		uint64_t swap = run->at[i];

		run->at[i] = run->at[run->n - 1 - i];
		run->at[run->n - 1 - i] = swap;
	}
}

/*
 * An order along the edges, from the front or from the back. When a thread has to wait, the one
 * that comes first in the run goes on, or (last_first) the one that became able to last.
 */
static void make_order(struct graph *g, bool backwards, bool last_first, event_run *result)
{
	size_t n = g->run->n;
	struct walk w = {.g = g, .backwards = backwards, .last_first = last_first};

	prepare(g, backwards);
	w.done = mem_alloc_zero(n + 1, sizeof(*w.done));
	for (uint32_t i = 0; i < n; i++)
		if (!g->waits[i])
			heap_push(&w.ready, mirrored(&w, i));
	result->n = 0;
	for (uint32_t own = UINT32_MAX; result->n < n;) {
		uint32_t place = own != UINT32_MAX ? own : next_ready(&w);

		own = take(&w, place);
		vec_push(result, g->run->at[place]);
	}
	if (backwards)
		reverse(result);
	mem_free(w.done);
	vec_release(&w.ready);
	vec_release(&w.lately);
}

void minimise_order(const struct minimiser *m, const event_run *run, const bool *matters,
		    event_run *ordered)
{
	struct graph g = {.m = m, .run = run, .matters = matters};
	size_t best = minimise_count_switches(m->index, run->at, run->n);
	event_run tried = {0};

	ordered->n = 0;
	for (size_t i = 0; i < run->n; i++)
		vec_push(ordered, run->at[i]);
	find_edges(&g);
	g.first = mem_alloc(((size_t)run->n + 2) * sizeof(*g.first));
	g.to = mem_alloc((g.edges.n + 1) * sizeof(*g.to));
	g.waits = mem_alloc((run->n + 1) * sizeof(*g.waits));
	for (int way = 0; way < 4; way++) {
		make_order(&g, way & 1, way & 2, &tried);
		size_t switches = minimise_count_switches(m->index, tried.at, tried.n);

		if (switches >= best)
			continue;
		best = switches;
		event_run swap = *ordered;

		*ordered = tried;
		tried = swap;
	}
	vec_release(&tried);
	vec_release(&g.edges);
	mem_free(g.first);
	mem_free(g.to);
	mem_free(g.waits);
}
