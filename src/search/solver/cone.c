/* SPDX-License-Identifier: MIT */
#include "search/solver/cone.h"

#include "base/sorted.h"
#include "model/depends.h"

#include <stdlib.h>

static int compare_events(const void *a, const void *b, void *context)
{
	const uint32_t *event = context;
	uint32_t x = event[*(const uint32_t *)a], y = event[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

/* Numbers the nodes, now that start and top are known. */
static void number_nodes(struct cone *c)
{
	const struct index *index = c->index;

	c->base = mem_alloc(index->thread_count * sizeof(*c->base));
	for (uint32_t t = 0; t < index->thread_count; t++) {
		c->base[t] = c->count + 1;
		c->count += c->top[t] - c->start[t];
	}
	c->event = mem_alloc(((size_t)c->count + 1) * sizeof(*c->event));
	c->by_trace = mem_alloc(((size_t)c->count + 1) * sizeof(*c->by_trace));
	c->event[NODE_START] = 0;
	for (uint32_t t = 0; t < index->thread_count; t++)
		for (uint32_t p = c->start[t]; p < c->top[t]; p++)
			c->event[c->base[t] + p - c->start[t]] = index->threads[t].events[p];
	for (uint32_t i = 0; i < c->count; i++)
		c->by_trace[i] = i + 1;
	qsort_r(c->by_trace, c->count, sizeof(*c->by_trace), compare_events, c->event);
}

static struct cone *cone_new(const struct index *index)
{
	struct cone *c = mem_alloc_zero(1, sizeof(*c));

	c->index = index;
	c->start = mem_alloc_zero(index->thread_count, sizeof(*c->start));
	c->top = mem_alloc_zero(index->thread_count, sizeof(*c->top));
	return c;
}

void cone_free(struct cone *c)
{
	if (!c)
		return;
	mem_free(c->start);
	mem_free(c->top);
	mem_free(c->base);
	mem_free(c->event);
	mem_free(c->by_trace);
	mem_free(c);
}

struct cone *cone_whole(const struct index *index)
{
	struct cone *c = cone_new(index);

	for (uint32_t t = 0; t < index->thread_count; t++)
		c->top[t] = index->threads[t].count;
	c->enough = true;
	number_nodes(c);
	return c;
}

/* How many of the thread's events come up to event n. */
static uint32_t thread_place(const struct index_thread *t, uint32_t n)
{
	return LOWER_BOUND(i, 0, t->count, t->events[i] <= n);
}

struct cone *cone_window(const struct index *index, uint32_t low, uint32_t high)
{
	struct cone *c = cone_new(index);

	c->low = low;
	for (uint32_t t = 0; t < index->thread_count; t++) {
		c->start[t] = thread_place(&index->threads[t], low);
		c->top[t] = thread_place(&index->threads[t], high);
	}
	c->enough = !low && high >= index->count;
	number_nodes(c);
	return c;
}

/*
 * All that can matter. If an execution shows the bug, then what it has of the events of a
 * closed set, in the same order, shows it too: nothing in the set misses what is left out.
 * So a set is closed if with an event it has what that needs; with an acquire the release;
 * with a wait for a semaphore all posts; with a read whose value matters the writes that
 * could give it; and so on.
 */

struct closure {
	const struct cone_facts *facts;
	const struct index *index;
	uint32_t limit, size;
	uint64_t work;	       /* events of long lists that were looked at, mostly in vain */
	uint32_t *top;	       /* of each thread */
	uint32_t *done;	       /* of each thread: up to here events were looked at */
	VEC(uint32_t) threads; /* with events to look at */
	uint32_t *all_matter;  /* of each thread: reads before this position matter */
	struct intern matter;  /* reads that do, besides */
	struct intern asked;   /* variables and values whose writers are in */
	struct intern objects; /* that are in with all their events: a class and a number */
};

static void put_in(struct closure *c, uint32_t event)
{
	uint32_t thread = c->index->events[event].thread;
	uint32_t end = c->index->position[event] + 1;

	if (c->top[thread] >= end)
		return;
	c->size += end - c->top[thread];
	c->top[thread] = end;
	vec_push(&c->threads, thread);
}

static bool is_new(struct intern *set, uint64_t a, uint64_t b)
{
	uint64_t key[2] = {a, b};
	size_t before = set->strings.n;

	intern_add(set, (const char *)key, sizeof(key));
	return set->strings.n > before;
}

/* All events of the object come in; kind: only those of it, or EV_COUNT. */
static void put_object_in(struct closure *c, const struct event *e, enum event_kind kind)
{
	const struct index_list *list = &c->index->uses[event_kind_class[e->kind]][e->object];

	if (!is_new(&c->objects, (uint32_t)event_kind_class[e->kind] << 8 | kind, e->object))
		return;
	for (uint32_t i = 0; i < list->count && c->size <= c->limit; i++)
		if (kind == EV_COUNT || c->index->events[list->events[i]].kind == kind)
			put_in(c, list->events[i]);
}

static void put_round_in(struct closure *c, uint32_t enter)
{
	const struct index_list *list =
		&c->index->uses[CLASS_BARRIER][c->index->events[enter].object];

	for (uint32_t i = 0; i < list->count; i++)
		if (c->index->events[list->events[i]].kind == EV_BARRIER_ENTER &&
		    c->index->round[list->events[i]] == c->index->round[enter])
			put_in(c, list->events[i]);
}

static void matters(struct closure *c, uint32_t read);

/* The reads that the event depends on matter. */
static void depends_matter(struct closure *c, uint32_t n)
{
	const struct index_thread *t = &c->index->threads[c->index->events[n].thread];
	uint32_t thread = c->index->events[n].thread, end = c->index->position[n] + 1;
	struct depends d = {0};

	depends_of(&c->index->events[n], &d);
	for (size_t i = 0; i < d.named.n; i++)
		matters(c, d.named.at[i]);
	vec_release(&d.named);
	if (!d.on_all || c->all_matter[thread] >= end)
		return;
	uint32_t from = c->all_matter[thread];

	c->all_matter[thread] = end;
	for (; from < end && c->size <= c->limit; from++)
		matters(c, t->events[from]);
}

static bool gives(const struct event *write, const struct part *read)
{
	for (uint32_t i = 0; i < event_part_count(write); i++) {
		struct part p = event_part(write, i);

		if (p.variable == read->variable)
			return (write->kind == EV_RMW ? p.written : p.value) == read->value;
	}
	return false;
}

static void write_matters(struct closure *c, uint32_t write)
{
	put_in(c, write);
	depends_matter(c, write);
}

/* The writes that could give the part its value: the same ones for all reads of this value. */
static void writers_matter(struct closure *c, const struct part *read)
{
	const struct index_list *list = &c->index->uses[CLASS_VARIABLE][read->variable];
	bool any_value = c->facts->model == MODEL_VALUES;

	if (!is_new(&c->asked, read->variable, any_value ? 0 : (uint64_t)read->value))
		return;
	c->work += list->count;
	if (c->work > (uint64_t)c->limit * solver_tune.cone_work)
		c->size = c->limit + 1;
	for (uint32_t i = 0; i < list->count && c->size <= c->limit; i++) {
		const struct event *e = &c->index->events[list->events[i]];

		if (event_is(e, EV_STORES) && event_is(e, EV_VALUE) &&
		    (any_value || gives(e, read)))
			write_matters(c, list->events[i]);
	}
}

static void matters(struct closure *c, uint32_t read)
{
	const struct event *e = &c->index->events[read];

	if (!event_is(e, EV_RETURNS) || !is_new(&c->matter, read, 0))
		return;
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		uint32_t writer = c->index->writer[c->index->parts[read] + i];

		if (c->facts->model != MODEL_PREDICTABLE)
			writers_matter(c, &part);
		else if (writer && event_is(&c->index->events[writer], EV_VALUE))
			write_matters(c, writer);
	}
}

static void look_at(struct closure *c, uint32_t n)
{
	const struct event *e = &c->index->events[n];
	const struct sections *s = c->facts->sections;
	const struct needs *needs = c->facts->needs;

	for (uint32_t i = needs->first[n]; i < needs->first[n + 1]; i++)
		put_in(c, needs->events[i]);
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		matters(c, (uint32_t)e->more->at[i]);
	if (s->at[n] && s->all.at[s->at[n] - 1].release)
		put_in(c, s->all.at[s->at[n] - 1].release);
	switch (e->kind) {
	case EV_BRANCH: depends_matter(c, n); break;
	case EV_TRY_FAIL: put_object_in(c, e, EV_COUNT); break;
	case EV_SEM_WAIT: put_object_in(c, e, EV_SEM_POST); break;
	case EV_SEM_FAIL: put_object_in(c, e, EV_COUNT); break;
	case EV_BARRIER_ENTER: put_round_in(c, n); break;
	case EV_WAIT: {
		const struct index_thread *t = &c->index->threads[e->thread];
		uint32_t next = c->index->position[n] + 1;

		/* whoever sleeps may have to be woken, for a broadcast to be possible */
		if (next < t->count && c->index->events[t->events[next]].kind == EV_WOKEN &&
		    c->index->events[t->events[next]].more->by)
			put_in(c, (uint32_t)c->index->events[t->events[next]].more->by);
		break;
	}
	default: break;
	}
	if (c->facts->model == MODEL_MCM)
		matters(c, n);
}

struct cone *cone_enough(const struct cone_facts *facts, const uint32_t *events, uint32_t count,
			 uint32_t limit)
{
	const struct index *index = facts->index;
	struct cone *cone = cone_new(index);
	struct closure c = {.facts = facts, .index = index, .limit = limit, .top = cone->top};

	c.done = mem_alloc_zero(index->thread_count, sizeof(*c.done));
	c.all_matter = mem_alloc_zero(index->thread_count, sizeof(*c.all_matter));
	for (uint32_t i = 0; i < count; i++)
		put_in(&c, events[i]);
	while (c.threads.n && c.size <= limit) {
		uint32_t thread = c.threads.at[--c.threads.n];

		while (c.done[thread] < c.top[thread] && c.size <= limit)
			look_at(&c, index->threads[thread].events[c.done[thread]++]);
	}
	bool fits = c.size <= limit;

	mem_free(c.done);
	mem_free(c.all_matter);
	intern_release(&c.matter);
	intern_release(&c.asked);
	intern_release(&c.objects);
	vec_release(&c.threads);
	if (!fits) {
		cone_free(cone);
		return NULL;
	}
	cone->enough = true;
	number_nodes(cone);
	return cone;
}
