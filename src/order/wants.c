#include "order/wants.h"

#include <stdlib.h>
#include <string.h>

bool wants_lock(const struct event *e, uint32_t *lock, bool *shared)
{
	*shared = e->kind == EV_ACQUIRE_SHARED;
	*lock = e->kind == EV_WOKEN ? e->more->lock : e->object;
	return e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED || e->kind == EV_WOKEN;
}

static bool leaves_lock(const struct event *e, uint32_t *lock)
{
	*lock = e->kind == EV_WAIT ? e->more->lock : e->object;
	return e->kind == EV_RELEASE || e->kind == EV_RELEASE_SHARED || e->kind == EV_WAIT;
}

/* In the order in which they were taken. */
struct taken {
	struct hold hold;
	uint32_t times; /* a thread may hold a lock shared more than once */
	uint32_t below; /* the set of those taken before it */
};

struct holder {
	VEC(struct taken) stack;
	uint32_t set;
};

struct gatherer {
	struct wants *wants;
	struct holder *threads;
	struct intern keys;    /* of wants */
	VEC(uint32_t) numbers; /* the want of each acquire that has one, and */
	VEC(uint32_t) events;  /* the acquires, ascending */
	VEC(struct hold) set;  /* scratch */
};

static int compare_holds(const void *a, const void *b)
{
	const struct hold *x = a, *y = b;

	return x->lock < y->lock ? -1 : x->lock > y->lock;
}

/* The number of the set of the first n that it took. */
static uint32_t number_set(struct gatherer *g, const struct holder *h, size_t n)
{
	if (!n)
		return 0;
	g->set.n = 0;
	for (size_t i = 0; i < n; i++)
		vec_push(&g->set, h->stack.at[i].hold);
	qsort(g->set.at, n, sizeof(*g->set.at), compare_holds);
	return intern_add(&g->wants->holds, (const char *)g->set.at, n * sizeof(*g->set.at));
}

static struct taken *find_taken(struct holder *h, uint32_t lock)
{
	for (size_t i = h->stack.n; i-- > 0;)
		if (h->stack.at[i].hold.lock == lock)
			return &h->stack.at[i];
	return NULL;
}

static void take(struct gatherer *g, struct holder *h, struct hold hold)
{
	struct taken *taken = find_taken(h, hold.lock);

	if (taken) {
		taken->times++;
		return;
	}
	struct taken new = {hold, 1, h->set};

	vec_push(&h->stack, new);
	h->set = number_set(g, h, h->stack.n);
}

static void leave(struct gatherer *g, struct holder *h, uint32_t lock)
{
	struct taken *taken = find_taken(h, lock);

	ASSERT(taken);
	if (--taken->times)
		return;
	size_t place = (size_t)(taken - h->stack.at);

	h->set = taken->below;
	h->stack.n--;
	memmove(taken, taken + 1, (h->stack.n - place) * sizeof(*taken));
	/* mostly it was the last one taken, and nothing is left to be done */
	for (; place < h->stack.n; place++) {
		h->stack.at[place].below = h->set;
		h->set = number_set(g, h, place + 1);
	}
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

static void follow(struct gatherer *g, uint32_t n, const struct event *e)
{
	struct holder *h = &g->threads[e->thread];
	uint32_t lock;
	bool shared;

	if (wants_lock(e, &lock, &shared)) {
		uint32_t site = sites_add(&g->wants->sites, e);

		if (h->set)
			add_want(g, n, (struct want){e->thread, h->set, lock, shared, site, 0, 0});
		take(g, h, (struct hold){lock, shared, site});
	} else if (leaves_lock(e, &lock)) {
		leave(g, h, lock);
	}
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
	intern_add(&w->holds, "", 0);
	g.threads = mem_alloc_zero(index->thread_count, sizeof(*g.threads));
	for (uint32_t n = 1; n <= index->count; n++)
		follow(&g, n, &index->events[n]);
	sort_events(&g);
	for (uint32_t t = 0; t < index->thread_count; t++)
		vec_release(&g.threads[t].stack);
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
	mem_free(w);
}
