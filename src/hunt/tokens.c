/* SPDX-License-Identifier: MIT */
/*
 * Calls that try a semaphore (doc/hunt.md, Questions). Whether there is something to take depends
 * on how far each other thread has come among its posts and waits: for each way to stand that does
 * not fit there is one clause, that some thread stands elsewhere.
 */
#include "hunt/parts.h"

/* Ways for the others to stand; more are not asked for. */
#define STANDS_MOST 20000u

/* A thread, and its events at the semaphore. */
struct stand {
	uint32_t thread;
	VEC(uint32_t) events;
	uint32_t done; /* so many of them, in the way that is looked at */
	int64_t count; /* what these have put there, less what they took */
};

struct stands {
	const struct index *index;
	VEC(struct stand) threads;
	int64_t count; /* there without the others */
};

static int64_t adds(const struct event *e)
{
	return e->kind == EV_SEM_POST ? 1 : e->kind == EV_SEM_WAIT ? -1 : 0;
}

static struct stand *stand_of(struct stands *s, uint32_t thread)
{
	for (size_t i = 0; i < s->threads.n; i++)
		if (s->threads.at[i].thread == thread)
			return &s->threads.at[i];
	vec_push(&s->threads, ((struct stand){.thread = thread}));
	return &s->threads.at[s->threads.n - 1];
}

/* Others' events; and its own so far. */
static void gather(struct stands *s, uint32_t semaphore, uint32_t thread, uint32_t position)
{
	const struct index_list *list = &s->index->uses[CLASS_SEMAPHORE][semaphore];

	s->count = (int64_t)s->index->symbols->semaphores.at[semaphore].count;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct event *at = &s->index->events[list->events[i]];

		if (!adds(at))
			continue;
		if (at->thread != thread)
			vec_push(&stand_of(s, at->thread)->events, list->events[i]);
		else if (s->index->position[list->events[i]] < position)
			s->count += adds(at);
	}
}

/* The next way to stand; false: that was the last one. */
static bool step(struct stands *s)
{
	for (size_t i = 0; i < s->threads.n; i++) {
		struct stand *t = &s->threads.at[i];

		if (t->done < t->events.n) {
			t->count += adds(&s->index->events[t->events.at[t->done++]]);
			return true;
		}
		t->done = 0;
		t->count = 0;
	}
	return false;
}

static bool is_empty(const struct stands *s)
{
	int64_t count = s->count;

	for (size_t i = 0; i < s->threads.n; i++)
		count += s->threads.at[i].count;
	return count <= 0;
}

/* Some thread has not come so far, or has gone on. */
static void put_not_so(struct hunt *h, const struct stands *s)
{
	for (size_t i = 0; i < s->threads.n; i++) {
		const struct stand *t = &s->threads.at[i];

		if (t->done)
			vec_push(&h->clauses, -(int32_t)t->events.at[t->done - 1]);
		if (t->done < t->events.n)
			vec_push(&h->clauses, (int32_t)t->events.at[t->done]);
	}
	vec_push(&h->clauses, 0);
}

bool hunt_put_semaphore(struct hunt *h, const struct index *index, uint32_t semaphore,
			uint32_t thread, uint32_t position, bool empty)
{
	struct stands s = {.index = index};
	uint64_t ways = 1;

	gather(&s, semaphore, thread, position);
	for (size_t i = 0; i < s.threads.n && ways <= STANDS_MOST; i++)
		ways *= s.threads.at[i].events.n + 1;
	if (ways <= STANDS_MOST)
		do
			if (is_empty(&s) != empty)
				put_not_so(h, &s);
		while (step(&s));
	for (size_t i = 0; i < s.threads.n; i++)
		vec_release(&s.threads.at[i].events);
	vec_release(&s.threads);
	return ways <= STANDS_MOST;
}
