/* SPDX-License-Identifier: MIT */
/*
 * Runs that start within the trace. Every so many events there is a mark: the locks that are
 * held, and what semaphores, conditions and barriers are at. From there the few thousand events
 * to the start are gone through, for all but their accesses.
 */
#include "search/run_state.h"

#include <string.h>

#define MARK_EVENTS (1 << 14) /* unless told otherwise */

struct marked_hold {
	uint32_t lock;
	struct run_hold hold;
};

struct run_marks {
	const struct index *index;
	uint32_t from;	/* the event of the first */
	uint32_t every; /* so many events there is one */
	VEC(struct marked_hold) holds;
	VEC(uint32_t) first; /* of each mark, and one more: its first hold */
	/* of each mark, of every object */
	VEC(uint64_t) semaphores;
	VEC(struct run_barrier) barriers;
	VEC(uint32_t) sleepers;
};

/* Locks may be many, and few are held: they are listed here while the marks are made. */
struct marker {
	struct run *run;
	VEC(uint32_t) held; /* or were at the last mark */
	bool *listed;
};

static uint32_t lock_of(const struct event *e)
{
	return e->kind == EV_WAIT || e->kind == EV_WOKEN ? e->more->lock : e->object;
}

static bool takes(const struct event *e)
{
	return e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED || e->kind == EV_WOKEN;
}

static bool drops(const struct event *e)
{
	return e->kind == EV_RELEASE || e->kind == EV_RELEASE_SHARED || e->kind == EV_WAIT;
}

static void put_mark(struct run_marks *m, struct marker *marker)
{
	const struct symbols *symbols = m->index->symbols;
	const struct run *run = marker->run;
	size_t kept = 0;

	vec_push(&m->first, (uint32_t)m->holds.n);
	for (size_t i = 0; i < marker->held.n; i++) {
		const struct run_lock *l = &run->locks[marker->held.at[i]];

		for (size_t j = 0; j < l->holds.n; j++) {
			struct marked_hold hold = {marker->held.at[i], l->holds.at[j]};

			vec_push(&m->holds, hold);
		}
		marker->listed[marker->held.at[i]] = l->holds.n;
		if (l->holds.n)
			marker->held.at[kept++] = marker->held.at[i];
	}
	marker->held.n = kept;
	for (size_t i = 0; i < symbols_count(symbols, CLASS_SEMAPHORE); i++)
		vec_push(&m->semaphores, run->semaphores[i]);
	for (size_t i = 0; i < symbols_count(symbols, CLASS_BARRIER); i++)
		vec_push(&m->barriers, run->barriers[i]);
	for (size_t i = 0; i < symbols_count(symbols, CLASS_CONDITION); i++)
		vec_push(&m->sleepers, run->sleepers[i]);
}

static void list_lock(struct marker *marker, uint32_t lock)
{
	if (marker->listed[lock])
		return;
	marker->listed[lock] = true;
	vec_push(&marker->held, lock);
}

struct run_marks *run_marks_new(const struct index *index, uint32_t every)
{
	struct run_marks *m = mem_alloc_zero(1, sizeof(*m));
	struct marker marker = {.run = run_new(index, MODEL_MAXIMAL)};

	marker.listed =
		mem_alloc_zero(symbols_count(index->symbols, CLASS_LOCK), sizeof(*marker.listed));
	m->index = index;
	m->from = 1;
	m->every = every ? every : MARK_EVENTS;
	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		if (!((n - 1) % m->every))
			put_mark(m, &marker);
		run_take_sync(marker.run, n);
		if (takes(e))
			list_lock(&marker, lock_of(e));
	}
	vec_push(&m->first, (uint32_t)m->holds.n);
	vec_release(&marker.held);
	mem_free(marker.listed);
	run_free(marker.run);
	return m;
}

struct run_marks *run_marks_at(struct run *run, const struct run_marks *marks, uint32_t event)
{
	struct run_marks *m = mem_alloc_zero(1, sizeof(*m));
	size_t locks = symbols_count(run->index->symbols, CLASS_LOCK);
	struct marker marker = {.run = run, .listed = mem_alloc_zero(locks, sizeof(bool))};

	m->index = run->index;
	m->from = event;
	m->every = UINT32_MAX;
	run_start(run, marks, event);
	for (uint32_t l = 0; l < locks; l++)
		if (run->locks[l].holds.n)
			list_lock(&marker, l);
	put_mark(m, &marker);
	vec_push(&m->first, (uint32_t)m->holds.n);
	vec_release(&marker.held);
	mem_free(marker.listed);
	return m;
}

void run_use_marks(struct run *run, const struct run_marks *marks)
{
	run->marks = marks;
}

void run_marks_free(struct run_marks *m)
{
	if (!m)
		return;
	vec_release(&m->holds);
	vec_release(&m->first);
	vec_release(&m->semaphores);
	vec_release(&m->barriers);
	vec_release(&m->sleepers);
	mem_free(m);
}

uint32_t run_marks_first_hold(const struct run_marks *m, uint32_t event)
{
	const struct index *index = m->index;
	uint32_t thread = index->events[event].thread, mark = (event - m->from) / m->every;
	uint32_t position = index->position[event], first = event;
	VEC(struct marked_hold) holds = {0};

	for (uint32_t i = m->first.at[mark]; i < m->first.at[mark + 1]; i++)
		if (m->holds.at[i].hold.thread == thread)
			vec_push(&holds, m->holds.at[i]);
	while (position && index->threads[thread].events[position - 1] >= m->from + mark * m->every)
		position--;
	for (; position < index->position[event]; position++) {
		uint32_t n = index->threads[thread].events[position];
		const struct event *e = &index->events[n];
		struct marked_hold hold = {.hold = {.event = n, .times = 1}};
		size_t i = 0;

		if (!takes(e) && !drops(e))
			continue;
		hold.lock = lock_of(e);
		while (i < holds.n && holds.at[i].lock != hold.lock)
			i++;
		if (takes(e) && i < holds.n)
			holds.at[i].hold.times++;
		else if (takes(e))
			vec_push(&holds, hold);
		else if (!--holds.at[i].hold.times)
			holds.at[i] = holds.at[--holds.n];
	}
	for (size_t i = 0; i < holds.n; i++)
		first = holds.at[i].hold.event < first ? holds.at[i].hold.event : first;
	vec_release(&holds);
	return first;
}

/* A once has one begin and one end, long before most that look at it. */
static void find_onces(struct run *run, uint32_t n)
{
	for (size_t o = 0; o < symbols_count(run->index->symbols, CLASS_ONCE); o++) {
		const struct index_list *list = &run->index->uses[CLASS_ONCE][o];

		for (uint32_t i = 0; i < list->count && list->events[i] < n && !run->once_end[o];
		     i++)
			run_take_sync(run, list->events[i]);
	}
}

void run_start(struct run *run, const struct run_marks *m, uint32_t n)
{
	const struct index *index = run->index;
	const struct symbols *symbols = index->symbols;
	size_t semaphores = symbols_count(symbols, CLASS_SEMAPHORE);
	size_t barriers = symbols_count(symbols, CLASS_BARRIER);
	size_t conditions = symbols_count(symbols, CLASS_CONDITION);

	run_reset(run);
	if (n <= 1)
		return;
	uint32_t mark = (n - m->from) / m->every;

	run->base = n;
	run->steps = n - 1;
	for (uint32_t t = 0; t < index->thread_count; t++) {
		struct index_list all = {index->threads[t].events, index->threads[t].count};

		run->position[t] = index_place(&all, n);
	}
	for (uint32_t i = m->first.at[mark]; i < m->first.at[mark + 1]; i++)
		vec_push(&run->locks[m->holds.at[i].lock].holds, m->holds.at[i].hold);
	if (semaphores)
		memcpy(run->semaphores, m->semaphores.at + mark * semaphores,
		       semaphores * sizeof(*run->semaphores));
	if (barriers)
		memcpy(run->barriers, m->barriers.at + mark * barriers,
		       barriers * sizeof(*run->barriers));
	if (conditions)
		memcpy(run->sleepers, m->sleepers.at + mark * conditions,
		       conditions * sizeof(*run->sleepers));
	/* as recorded no signal is early, and positions are those of the end already */
	bool early = run->early;

	run->early = false;
	for (uint32_t k = m->from + mark * m->every; k < n; k++)
		run_take_sync(run, k);
	run->early = early;
	find_onces(run, n);
}
