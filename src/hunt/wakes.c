/* SPDX-License-Identifier: MIT */
/*
 * Signals and broadcasts (doc/hunt.md, Whom a signal wakes): which waits they end, and which others
 * they might end. A thread sleeps from its wait until what wakes it in its run has happened, or
 * its time limit is over; when that is, between the two, is open.
 */
#include "hunt/parts.h"

#define WAYS_MOST 256 /* for one signal; more are not asked for */

static void add_waits(struct hunt_run *r, uint32_t thread)
{
	const struct index_thread *t = &r->index->threads[thread];
	uint64_t times = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct event *next =
			i + 1 < t->count ? &r->index->events[t->events[i + 1]] : NULL;
		struct hunt_wait w = {.wait = t->events[i], .thread = thread};

		if (r->index->events[w.wait].kind != EV_WAIT)
			continue;
		w.name = hunt_mix(r->threads[thread].id, ++times);
		if (next && next->kind == EV_WOKEN) {
			w.woken = t->events[i + 1];
			w.by = (uint32_t)next->more->by;
			w.over = !w.by;
		}
		vec_push(&r->waits, w);
	}
}

/* Who was woken, and did not go on. */
static void find_woken(struct hunt_run *r)
{
	uint64_t by;

	for (size_t i = 0; i < r->waits.n; i++) {
		struct hunt_wait *w = &r->waits.at[i];

		if (w->woken || !symbols_woken(r->index->symbols, w->thread, &by) ||
		    by > r->index->count)
			continue;
		w->by = (uint32_t)by;
		w->over = !by;
	}
}

void hunt_find_waits(struct hunt_run *r)
{
	for (uint32_t t = 0; t < r->index->thread_count; t++)
		add_waits(r, t);
	find_woken(r);
}

uint64_t hunt_wakes(const struct hunt_run *r, uint32_t signal)
{
	uint64_t outcome = 1;

	for (size_t i = 0; i < r->waits.n; i++)
		if (r->waits.at[i].by == signal)
			outcome += hunt_mix(r->waits.at[i].name, 1);
	return outcome;
}

/* Ways */

static bool is_signal(const struct hunt_ways *ways)
{
	return ways->run->index->events[ways->signal].kind == EV_SIGNAL;
}

static bool may_wake(const struct hunt_ways *ways, const struct hunt_wait *w)
{
	const struct index *index = ways->run->index;
	const struct event *signal = &index->events[ways->signal];

	return w->thread != signal->thread && index->events[w->wait].object == signal->object;
}

bool hunt_ways_begin(struct hunt_ways *ways, const struct hunt_run *r, uint32_t signal)
{
	uint64_t all = 1;
	uint32_t last = UINT32_MAX, count = 0;

	*ways = (struct hunt_ways){.run = r, .signal = signal};
	for (uint32_t i = 0; i < r->waits.n; i++) {
		const struct hunt_wait *w = &r->waits.at[i];

		if (!may_wake(ways, w))
			continue;
		if (w->thread != last) {
			vec_push(&ways->threads, ((struct hunt_way){.first = i}));
			count = 0;
		}
		last = w->thread;
		all = is_signal(ways) ? all + 1 : all / (count + 1) * (count + 2);
		ways->threads.at[ways->threads.n - 1].end = i + 1;
		count++;
		if (all > WAYS_MOST)
			return false;
	}
	return ways->threads.n <= HUNT_WAKES_MOST;
}

/* The next one of the thread's waits; false: there is none, and it is none of them again. */
static bool step_thread(const struct hunt_ways *ways, struct hunt_way *t)
{
	uint32_t next = t->chosen ? t->chosen : t->first;

	while (next < t->end && !may_wake(ways, &ways->run->waits.at[next]))
		next++;
	t->chosen = next < t->end ? next + 1 : 0;
	return t->chosen;
}

/* A broadcast ends any of them, a signal one. */
static bool step(struct hunt_ways *ways)
{
	size_t i = 0;

	while (is_signal(ways) && i + 1 < ways->threads.n && !ways->threads.at[i].chosen)
		i++;
	if (is_signal(ways) && i < ways->threads.n && !ways->threads.at[i].chosen)
		i = 0; /* none so far */
	for (; i < ways->threads.n; i++)
		if (step_thread(ways, &ways->threads.at[i]))
			return true;
	return false;
}

static const struct hunt_wait *chosen(const struct hunt_ways *ways, size_t i)
{
	const struct hunt_way *t = &ways->threads.at[i];

	return t->chosen ? &ways->run->waits.at[t->chosen - 1] : NULL;
}

static uint32_t count_chosen(const struct hunt_ways *ways)
{
	uint32_t n = 0;

	for (size_t i = 0; i < ways->threads.n; i++)
		n += chosen(ways, i) != NULL;
	return n;
}

uint64_t hunt_ways_outcome(const struct hunt_ways *ways)
{
	uint64_t outcome = 1;

	for (size_t i = 0; i < ways->threads.n; i++)
		if (chosen(ways, i))
			outcome += hunt_mix(chosen(ways, i)->name, 1);
	return outcome;
}

bool hunt_ways_next(struct hunt_ways *ways)
{
	bool more = true;

	do {
		if (!ways->begun)
			ways->begun = true; /* it wakes nobody */
		else
			more = step(ways);
	} while (more && hunt_ways_outcome(ways) == hunt_wakes(ways->run, ways->signal));
	return more;
}

static void put_clause(struct hunt *h, int32_t a, int32_t b)
{
	vec_push(&h->clauses, a);
	if (b)
		vec_push(&h->clauses, b);
	vec_push(&h->clauses, 0);
}

/*
 * It has not given up: so none of those has happened while it slept that would have woken it then,
 * and did not.
 */
static void put_not_given_up(struct hunt *h, const struct hunt_run *r, const struct hunt_wait *w)
{
	uint32_t condition = r->index->events[w->wait].object;
	const struct index_list *list = &r->index->uses[CLASS_CONDITION][condition];

	put_clause(h, -(int32_t)w->end, 0);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct event *e = &r->index->events[list->events[i]];
		int32_t signal = (int32_t)r->probes->to[list->events[i]];

		if (e->thread == w->thread ||
		    (e->kind != EV_BROADCAST &&
		     (e->kind != EV_SIGNAL || hunt_wakes(r, list->events[i]) != 1)))
			continue;
		vec_push(&h->clauses, -signal);
		vec_push(&h->clauses, ENGINE_BEFORE);
		vec_push(&h->clauses, signal);
		vec_push(&h->clauses, (int32_t)r->probes->to[w->wait]);
		vec_push(&h->clauses, 0);
	}
}

/* It sleeps, and has not given up. */
static void put_asleep(struct hunt *h, const struct hunt_ways *ways, const struct hunt_wait *w)
{
	const uint32_t *to = ways->run->probes->to;

	put_clause(h, (int32_t)to[w->wait], 0);
	if (w->by && w->by != ways->signal)
		put_clause(h, -(int32_t)to[w->by], 0);
	if (w->over)
		put_not_given_up(h, ways->run, w);
}

/* It does not, or has given up. */
static void put_not_asleep(struct hunt *h, const struct hunt_ways *ways, const struct hunt_wait *w)
{
	const uint32_t *to = ways->run->probes->to;

	if (!w->over)
		put_clause(h, -(int32_t)to[w->wait],
			   w->by && w->by != ways->signal ? (int32_t)to[w->by] : 0);
}

void hunt_ways_put(struct hunt *h, const struct hunt_ways *ways)
{
	bool all = !is_signal(ways) || !count_chosen(ways);

	for (size_t i = 0; i < ways->threads.n; i++) {
		const struct hunt_way *t = &ways->threads.at[i];

		for (uint32_t k = t->first; k < t->end; k++) {
			const struct hunt_wait *w = &ways->run->waits.at[k];

			if (!may_wake(ways, w))
				continue;
			if (w == chosen(ways, i))
				put_asleep(h, ways, w);
			else if (all)
				put_not_asleep(h, ways, w);
		}
	}
}

void hunt_ways_tell(struct hunt *h, const struct hunt_ways *ways)
{
	h->wake_count = 0;
	for (size_t i = 0; i < ways->threads.n; i++)
		if (chosen(ways, i))
			h->wakes[h->wake_count++] = chosen(ways, i)->thread;
}

void hunt_ways_release(struct hunt_ways *ways)
{
	vec_release(&ways->threads);
}
