/* SPDX-License-Identifier: MIT */
#include "model/needs.h"

struct gatherer {
	const struct index *index;
	struct needs *needs;
	bool early;
	VEC(uint32_t) found;
	/* of each variable */
	uint32_t *external; /* the last so far, or 0 */
	uint32_t *seen; /* of each thread: the look (below) for which an access of it was found */
	uint32_t look;	/* counts externals, and each variable of those that have several */
};

static void need(struct gatherer *g, uint32_t n)
{
	if (n)
		vec_push(&g->found, n);
}

static void need_thread(struct gatherer *g, uint32_t thread)
{
	const struct index_thread *t = &g->index->threads[thread];

	need(g, t->fork);
	if (t->count)
		need(g, t->events[t->count - 1]);
}

/* Those that it woke sleep: their waits have happened. */
static void need_waits(struct gatherer *g, uint32_t signal)
{
	const struct index *index = g->index;

	for (uint32_t i = index_first_wake(index, signal);
	     i < index->wake_count && index->wakes[i].by == signal; i++) {
		uint32_t woken = index->wakes[i].woken;

		need(g, index->threads[index->events[woken].thread]
				.events[index->position[woken] - 1]);
	}
}

static void need_round(struct gatherer *g, uint32_t exit)
{
	const struct index_list *list =
		&g->index->uses[CLASS_BARRIER][g->index->events[exit].object];

	for (uint32_t i = 0; i < list->count && list->events[i] < exit; i++)
		if (g->index->events[list->events[i]].kind == EV_BARRIER_ENTER &&
		    g->index->round[list->events[i]] == g->index->round[exit])
			need(g, list->events[i]);
}

static void need_once(struct gatherer *g, uint32_t pass)
{
	const struct index_list *list = &g->index->uses[CLASS_ONCE][g->index->events[pass].object];

	for (uint32_t i = 0; i < list->count; i++)
		if (g->index->events[list->events[i]].kind == EV_ONCE_END)
			need(g, list->events[i]);
}

/*
 * Every access to the variable since the last external; of each thread the last one will do, and
 * those that it may have skipped.
 */
static void need_accesses(struct gatherer *g, uint32_t external, uint32_t variable)
{
	const struct index_list *list = &g->index->uses[CLASS_VARIABLE][variable];
	uint32_t at = index_place(list, external);

	g->look++;
	while (at-- && list->events[at] > g->external[variable]) {
		uint32_t thread = g->index->events[list->events[at]].thread;
		bool in_arm = index_arm(g->index, list->events[at]);

		if (g->seen[thread] == g->look && !in_arm)
			continue;
		if (!in_arm)
			g->seen[thread] = g->look;
		need(g, list->events[at]);
	}
}

static void need_objects(struct gatherer *g, uint32_t n)
{
	const struct event *e = &g->index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t variable = event_part(e, i).variable;

		if (e->kind == EV_ALLOC)
			g->needs->alloc[variable] = n;
		else
			need(g, g->needs->alloc[variable]);
		if (e->kind == EV_FREE)
			g->needs->free[variable] = n;
		need(g, g->external[variable]);
		if (e->kind == EV_EXTERNAL) {
			need_accesses(g, n, variable);
			g->external[variable] = n;
		}
	}
}

static void gather(struct gatherer *g, uint32_t n)
{
	const struct event *e = &g->index->events[n];

	if (!g->index->position[n])
		need(g, g->index->threads[e->thread].fork);
	switch (e->kind) {
	case EV_JOIN: need_thread(g, e->object); break;
	case EV_WOKEN: need(g, (uint32_t)e->more->by); break;
	case EV_SIGNAL:
	case EV_BROADCAST:
		if (!g->early)
			need_waits(g, n);
		break;
	case EV_BARRIER_EXIT: need_round(g, n); break;
	case EV_ONCE_PASS: need_once(g, n); break;
	default: need_objects(g, n);
	}
}

static struct needs *gather_all(const struct index *index, bool early)
{
	struct needs *needs = mem_alloc_zero(1, sizeof(*needs));
	size_t variables = symbols_count(index->symbols, CLASS_VARIABLE);
	struct gatherer g = {.index = index, .needs = needs, .early = early};

	needs->first = mem_alloc(((size_t)index->count + 2) * sizeof(*needs->first));
	needs->alloc = mem_alloc_zero(variables, sizeof(*needs->alloc));
	needs->free = mem_alloc_zero(variables, sizeof(*needs->free));
	g.external = mem_alloc_zero(variables, sizeof(*g.external));
	g.seen = mem_alloc_zero(index->thread_count, sizeof(*g.seen));
	needs->first[0] = 0;
	for (uint32_t n = 1; n <= index->count; n++) {
		needs->first[n] = (uint32_t)g.found.n;
		gather(&g, n);
	}
	needs->first[index->count + 1] = (uint32_t)g.found.n;
	needs->events = g.found.at;
	mem_free(g.external);
	mem_free(g.seen);
	return needs;
}

struct needs *needs_new(const struct index *index)
{
	return gather_all(index, false);
}

struct needs *needs_new_early(const struct index *index)
{
	return gather_all(index, true);
}

void needs_free(struct needs *needs)
{
	if (!needs)
		return;
	mem_free(needs->first);
	mem_free(needs->events);
	mem_free(needs->alloc);
	mem_free(needs->free);
	mem_free(needs);
}
