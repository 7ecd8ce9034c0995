/*
 * Locks as a graph: from each that is held to each that is wanted meanwhile. A deadlock is on a
 * cycle in it, so that of nearly all traces nearly all goes by Tarjan's algorithm.
 */
#include "order/cycles_parts.h"

#include <string.h>

/* Edges by where they come from: first has one more than there are locks. */
static void sort_edges(struct lock_graph *g, size_t locks)
{
	g->first = mem_alloc_zero(locks + 2, sizeof(*g->first));
	g->of_lock = mem_alloc((g->edges.n + 1) * sizeof(*g->of_lock));
	for (size_t i = 0; i < g->edges.n; i++)
		g->first[g->edges.at[i].from + 2]++;
	for (size_t l = 2; l < locks + 2; l++)
		g->first[l] += g->first[l - 1];
	for (size_t i = 0; i < g->edges.n; i++)
		g->of_lock[g->first[g->edges.at[i].from + 1]++] = (uint32_t)i;
}

static void add_edges(struct lock_graph *g, const struct wants *wants, uint32_t want)
{
	size_t n;
	const struct hold *holds = wants_holds(wants, want, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t key[2] = {holds[i].lock, wants->all.at[want].lock};
		uint32_t number = intern_add(&g->keys, (const char *)key, sizeof(key));

		if (number == g->edges.n) {
			struct lock_edge edge = {key[0], key[1], 0, 0};

			vec_push(&g->edges, edge);
		}
		g->edges.at[number].count++;
	}
}

/* A lock that Tarjan's algorithm is at, and the next of its edges. */
struct visit {
	uint32_t lock, edge;
};

/* Strongly connected components; the stacks are arrays with room for all locks. */
struct components {
	const struct lock_graph *graph;
	uint32_t *number, *low; /* of each lock; 0: not seen */
	uint32_t *component;	/* 0: none so far */
	uint32_t *stack;
	size_t stack_count;
	VEC(struct visit) visits;
	uint32_t numbered, found;
};

static void enter(struct components *s, uint32_t lock)
{
	struct visit visit = {lock, s->graph->first[lock]};

	s->number[lock] = s->low[lock] = ++s->numbered;
	s->stack[s->stack_count++] = lock;
	vec_push(&s->visits, visit);
}

static void leave(struct components *s)
{
	uint32_t lock = s->visits.at[--s->visits.n].lock, low = s->low[lock];

	if (low == s->number[lock]) {
		s->found++;
		do
			s->component[s->stack[--s->stack_count]] = s->found;
		while (s->stack[s->stack_count] != lock);
	}
	if (!s->visits.n)
		return;
	uint32_t above = s->visits.at[s->visits.n - 1].lock;

	if (low < s->low[above])
		s->low[above] = low;
}

static void visit_all(struct components *s, uint32_t start)
{
	enter(s, start);
	while (s->visits.n) {
		struct visit *v = &s->visits.at[s->visits.n - 1];

		if (v->edge == s->graph->first[v->lock + 1]) {
			leave(s);
			continue;
		}
		uint32_t lock = v->lock;
		uint32_t to = s->graph->edges.at[s->graph->of_lock[v->edge++]].to;

		if (!s->number[to])
			enter(s, to);
		else if (!s->component[to] && s->number[to] < s->low[lock])
			s->low[lock] = s->number[to];
	}
}

/* Edges between two components are on no cycle: they stay without links. */
static void drop_edges(struct lock_graph *g, size_t locks)
{
	struct components s = {.graph = g};

	s.number = mem_alloc_zero(locks + 1, sizeof(*s.number));
	s.low = mem_alloc_zero(locks + 1, sizeof(*s.low));
	s.component = mem_alloc_zero(locks + 1, sizeof(*s.component));
	s.stack = mem_alloc_zero(locks + 1, sizeof(*s.stack));
	for (size_t l = 0; l < locks; l++)
		if (!s.number[l])
			visit_all(&s, (uint32_t)l);
	for (size_t i = 0; i < g->edges.n; i++) {
		struct lock_edge *e = &g->edges.at[i];

		if (s.component[e->from] != s.component[e->to])
			e->count = 0;
	}
	mem_free(s.number);
	mem_free(s.low);
	mem_free(s.component);
	mem_free(s.stack);
	vec_release(&s.visits);
}

const struct lock_edge *lock_graph_edge(const struct lock_graph *g, uint32_t from, uint32_t to)
{
	uint32_t key[2] = {from, to};
	uint32_t number = intern_find(&g->keys, (const char *)key, sizeof(key));

	return number != INTERN_NONE && g->edges.at[number].count ? &g->edges.at[number] : NULL;
}

static void put_links(struct lock_graph *g, const struct wants *wants)
{
	uint32_t place = 0;

	for (size_t i = 0; i < g->edges.n; i++) {
		g->edges.at[i].first = place;
		place += g->edges.at[i].count;
	}
	g->links = mem_alloc(((size_t)place + 1) * sizeof(*g->links));
	uint32_t *next = mem_alloc_zero(g->edges.n + 1, sizeof(*next));

	for (uint32_t w = 0; place && w < wants->all.n; w++) {
		size_t n;
		const struct hold *holds = wants_holds(wants, w, &n);

		for (size_t i = 0; i < n; i++) {
			const struct lock_edge *e =
				lock_graph_edge(g, holds[i].lock, wants->all.at[w].lock);

			if (e)
				g->links[e->first + next[e - g->edges.at]++] =
					(struct link){w, holds[i].shared};
		}
	}
	mem_free(next);
}

void lock_graph_init(struct lock_graph *g, const struct wants *wants)
{
	size_t locks = symbols_count(wants->index->symbols, CLASS_LOCK);

	memset(g, 0, sizeof(*g));
	for (uint32_t w = 0; w < wants->all.n; w++)
		add_edges(g, wants, w);
	sort_edges(g, locks);
	drop_edges(g, locks);
	put_links(g, wants);
}

void lock_graph_release(struct lock_graph *g)
{
	vec_release(&g->edges);
	intern_release(&g->keys);
	mem_free(g->links);
	mem_free(g->first);
	mem_free(g->of_lock);
}
