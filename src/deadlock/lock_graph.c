/* SPDX-License-Identifier: MIT */
/*
 * Wants as edges between the locks that are held and the lock that is wanted. Those of a component
 * that something keeps apart go.
 */
#include "deadlock/cycles_parts.h"

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
	const struct want_hold *holds = wants_holds(wants, want, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t key[2] = {holds[i].lock, wants->all.at[want].lock};

		if (wants->component[key[0]] != wants->component[key[1]])
			continue;
		uint32_t number = intern_add(&g->keys, (const char *)key, sizeof(key));

		if (number == g->edges.n) {
			struct lock_edge edge = {key[0], key[1], 0, 0};

			vec_push(&g->edges, edge);
		}
		g->edges.at[number].count++;
	}
}

/*
 * What all wants of a component have in common: one thread, or a lock that all hold, not shared.
 * Either keeps any two of them apart.
 */
struct common {
	bool any, several; /* threads */
	uint32_t thread;
	VEC(uint32_t) gates; /* locks, ascending */
};

static void note_gates(struct common *c, const struct want_hold *holds, size_t n)
{
	size_t kept = 0, i = 0;

	for (size_t k = 0; k < n && !c->any; k++)
		if (!holds[k].shared)
			vec_push(&c->gates, holds[k].lock);
	for (size_t k = 0; k < c->gates.n; k++) {
		while (i < n && holds[i].lock < c->gates.at[k])
			i++;
		if (i < n && holds[i].lock == c->gates.at[k] && !holds[i].shared)
			c->gates.at[kept++] = c->gates.at[k];
	}
	c->gates.n = kept;
}

static struct common *find_common(const struct wants *wants)
{
	struct common *all = mem_alloc_zero((size_t)wants->component_count + 1, sizeof(*all));

	for (uint32_t w = 0; w < wants->all.n; w++) {
		const struct want *want = &wants->all.at[w];
		struct common *c = &all[wants->component[want->lock]];
		size_t n;
		const struct want_hold *holds = wants_holds(wants, w, &n);

		note_gates(c, holds, n);
		c->several |= c->any && c->thread != want->thread;
		c->thread = want->thread;
		c->any = true;
	}
	return all;
}

/* Edges of a component that something keeps apart stay without links. */
static void drop_edges(struct lock_graph *g, const struct wants *wants)
{
	struct common *common = find_common(wants);

	for (size_t i = 0; i < g->edges.n; i++) {
		const struct common *c = &common[wants->component[g->edges.at[i].to]];

		if (!c->several || c->gates.n)
			g->edges.at[i].count = 0;
	}
	for (size_t i = 0; i <= wants->component_count; i++)
		vec_release(&common[i].gates);
	mem_free(common);
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
		const struct want_hold *holds = wants_holds(wants, w, &n);

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
	drop_edges(g, wants);
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
