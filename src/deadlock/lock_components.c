/* SPDX-License-Identifier: MIT */
/*
 * Locks as a graph: from each that is held to each that is wanted meanwhile. A deadlock is on a
 * cycle in it; Tarjan's algorithm finds which locks are.
 */
#include "deadlock/lock_components.h"

#include "deadlock/lock_stack.h"

struct lock_pair {
	uint32_t from, to;
};

#define LOCKS_FEW 8192

struct graph {
	struct intern keys; /* of struct lock_pair, each once */
	/* Of few locks a bit for each pair that is there: quicker to look at. NULL: there are many
	 */
	uint64_t *known;
	size_t locks;
	/* where the edges from lock l go: to[first[l]] … to[first[l + 1] - 1] */
	uint32_t *first, *to;
};

static const struct lock_pair *edge(const struct graph *g, size_t i)
{
	return (const void *)g->keys.strings.at[i].text; /* an arena's memory: aligned */
}

static bool is_known(const struct graph *g, struct lock_pair pair)
{
	size_t bit = pair.from * g->locks + pair.to;

	if (!g->known)
		return false;
	bool known = g->known[bit / 64] >> bit % 64 & 1;

	g->known[bit / 64] |= (uint64_t)1 << bit % 64;
	return known;
}

/* Of each nested acquire: its lock is wanted by one who holds these. */
static void add_edges(struct graph *g, const struct lock_stack *h, const struct event *e)
{
	struct lock_pair pair;
	bool shared;

	if (!h->at.n || !lock_stack_wanted(e, &pair.to, &shared))
		return;
	for (size_t i = 0; i < h->at.n; i++) {
		pair.from = h->at.at[i].lock;
		if (!is_known(g, pair))
			intern_add(&g->keys, (const char *)&pair, sizeof(pair));
	}
}

static void sort_edges(struct graph *g, size_t locks)
{
	size_t n = g->keys.strings.n;

	g->first = mem_alloc_zero(locks + 2, sizeof(*g->first));
	g->to = mem_alloc((n + 1) * sizeof(*g->to));
	for (size_t i = 0; i < n; i++)
		g->first[edge(g, i)->from + 2]++;
	for (size_t l = 2; l < locks + 2; l++)
		g->first[l] += g->first[l - 1];
	/* now first[l + 1] is where lock l begins; filling moves it to where it ends */
	for (size_t i = 0; i < n; i++)
		g->to[g->first[edge(g, i)->from + 1]++] = edge(g, i)->to;
}

static void read_trace(struct graph *g, const struct index *index, size_t locks)
{
	struct lock_stack *threads = mem_alloc_zero(index->thread_count, sizeof(*threads));

	g->locks = locks;
	if (locks <= LOCKS_FEW)
		g->known = mem_alloc_zero(locks * locks / 64 + 1, sizeof(*g->known));
	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		add_edges(g, &threads[e->thread], e);
		lock_stack_follow(&threads[e->thread], n, e);
	}
	for (uint32_t t = 0; t < index->thread_count; t++)
		vec_release(&threads[t].at);
	mem_free(threads);
	mem_free(g->known);
	sort_edges(g, locks);
}

/* A lock that Tarjan's algorithm is at, and the next of its edges. */
struct visit {
	uint32_t lock, edge;
};

/* Strongly connected components; the stacks are arrays with room for all locks. */
struct components {
	const struct graph *graph;
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
		uint32_t to = s->graph->to[v->edge++];

		if (!s->number[to])
			enter(s, to);
		else if (!s->component[to] && s->number[to] < s->low[lock])
			s->low[lock] = s->number[to];
	}
}

uint32_t *lock_components(const struct index *index, uint32_t *count)
{
	size_t locks = symbols_count(index->symbols, CLASS_LOCK);
	struct graph g = {0};
	struct components s = {.graph = &g};

	read_trace(&g, index, locks);
	s.number = mem_alloc_zero(locks + 1, sizeof(*s.number));
	s.low = mem_alloc_zero(locks + 1, sizeof(*s.low));
	s.component = mem_alloc_zero(locks + 1, sizeof(*s.component));
	s.stack = mem_alloc_zero(locks + 1, sizeof(*s.stack));
	for (size_t l = 0; l < locks; l++)
		if (!s.number[l])
			visit_all(&s, (uint32_t)l);
	*count = s.found;
	mem_free(s.number);
	mem_free(s.low);
	mem_free(s.stack);
	vec_release(&s.visits);
	intern_release(&g.keys);
	mem_free(g.first);
	mem_free(g.to);
	return s.component;
}
