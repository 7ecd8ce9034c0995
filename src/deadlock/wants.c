/* SPDX-License-Identifier: MIT */
#include "deadlock/wants.h"

#include "deadlock/lock_stack.h"
#include "deadlock/lock_components.h"

#include <stdlib.h>

struct gatherer {
	struct wants *wants;
	struct lock_stack *threads;
	struct intern keys;	   /* of wants */
	VEC(uint32_t) numbers;	   /* the want of each acquire that has one, and */
	VEC(uint32_t) events;	   /* the acquires, ascending */
	VEC(struct want_hold) set; /* scratch */
};

static int compare_holds(const void *a, const void *b)
{
	const struct want_hold *x = a, *y = b;

	return x->lock < y->lock ? -1 : x->lock > y->lock;
}

static uint32_t number_set(struct gatherer *g, const struct lock_stack *h)
{
	struct wants *w = g->wants;

	g->set.n = 0;
	for (size_t i = 0; i < h->at.n; i++) {
		const struct stacked_lock *t = &h->at.at[i];
		struct want_hold hold = {t->lock, t->shared,
					 sites_add(&w->sites, &w->index->events[t->acquire])};

		vec_push(&g->set, hold);
	}
	qsort(g->set.at, g->set.n, sizeof(*g->set.at), compare_holds);
	return intern_add(&w->holds, (const char *)g->set.at, g->set.n * sizeof(*g->set.at));
}

static void add_want(struct gatherer *g, uint32_t event, struct want want)
{
	uint32_t number = intern_add(&g->keys, (const char *)&want, sizeof(want));

	if (number == g->wants->all.n)
		vec_push(&g->wants->all, want);
	g->wants->all.at[number].count++;
	vec_push(&g->numbers, number);
	vec_push(&g->events, event);
}

static void look_at(struct gatherer *g, uint32_t n, const struct event *e)
{
	const struct lock_stack *h = &g->threads[e->thread];
	struct wants *w = g->wants;
	uint32_t lock;
	bool shared, matters = false;

	if (!h->at.n || !event_blocks(e) || !lock_stack_wanted(e, &lock, &shared))
		return;
	for (size_t i = 0; i < h->at.n; i++)
		matters |= w->component[h->at.at[i].lock] == w->component[lock];
	if (matters)
		add_want(g, n,
			 (struct want){e->thread, number_set(g, h), lock, shared,
				       sites_add(&w->sites, e), 0, 0});
}

/* The acquires by their wants. */
static void sort_events(struct gatherer *g)
{
	struct wants *w = g->wants;
	uint32_t place = 0;

	w->events = mem_alloc((g->events.n + 1) * sizeof(*w->events));
	for (size_t i = 0; i < w->all.n; i++) {
		w->all.at[i].first = place;
		place += w->all.at[i].count;
		w->all.at[i].count = 0;
	}
	for (size_t i = 0; i < g->events.n; i++) {
		struct want *want = &w->all.at[g->numbers.at[i]];

		w->events[want->first + want->count++] = g->events.at[i];
	}
}

struct wants *wants_new(const struct index *index)
{
	struct wants *w = mem_alloc_zero(1, sizeof(*w));
	struct gatherer g = {.wants = w};

	w->index = index;
	w->component = lock_components(index, &w->component_count);
	g.threads = mem_alloc_zero(index->thread_count, sizeof(*g.threads));
	for (uint32_t n = 1; n <= index->count; n++) {
		look_at(&g, n, &index->events[n]);
		lock_stack_follow(&g.threads[index->events[n].thread], n, &index->events[n]);
	}
	sort_events(&g);
	for (uint32_t t = 0; t < index->thread_count; t++)
		vec_release(&g.threads[t].at);
	mem_free(g.threads);
	intern_release(&g.keys);
	vec_release(&g.numbers);
	vec_release(&g.events);
	vec_release(&g.set);
	return w;
}

void wants_free(struct wants *w)
{
	if (!w)
		return;
	sites_release(&w->sites);
	intern_release(&w->holds);
	vec_release(&w->all);
	mem_free(w->events);
	mem_free(w->component);
	mem_free(w);
}
