/* SPDX-License-Identifier: MIT */
#define TAP_WITHOUT_MAIN
#include "tests/support/naive_program.h"

#include "tests/support/tap.h"

#include <stdio.h>
#include <string.h>

struct naive_place {
	const struct index *index;
	uint32_t at[64]; /* of each thread: so many of its events have happened */
};

static bool happened(const struct naive_place *p, uint32_t n)
{
	return p->index->position[n] < p->at[p->index->events[n].thread];
}

/* How many of the events of one kind that name the object have happened. */
static int64_t count(const struct naive_place *p, enum event_kind kind, uint32_t object)
{
	int64_t found = 0;

	for (uint32_t n = 1; n <= p->index->count; n++) {
		const struct event *e = &p->index->events[n];
		uint32_t named = kind == EV_WAIT || kind == EV_WOKEN ? e->more ? e->more->lock : 0
								     : e->object;

		found += e->kind == kind && named == object && happened(p, n);
	}
	return found;
}

static bool is_written(const struct naive_place *p, uint32_t lock)
{
	return count(p, EV_ACQUIRE, lock) + count(p, EV_WOKEN, lock) >
	       count(p, EV_RELEASE, lock) + count(p, EV_WAIT, lock);
}

static bool is_shared(const struct naive_place *p, uint32_t lock)
{
	return count(p, EV_ACQUIRE_SHARED, lock) > count(p, EV_RELEASE_SHARED, lock);
}

/* The round of an enter, or of the last one before an exit; they fill one after the other. */
static uint32_t round_of(const struct index *index, uint32_t n)
{
	const struct event *e = &index->events[n];
	uint32_t enters = 0, last = 0;

	for (uint32_t k = 1; k <= n; k++) {
		const struct event *o = &index->events[k];

		if (o->kind != EV_BARRIER_ENTER || o->object != e->object)
			continue;
		if (o->thread == e->thread)
			last = enters;
		enters++;
	}
	return last / index->symbols->barriers.at[e->object].parties;
}

static uint32_t entered(const struct naive_place *p, uint32_t barrier, uint32_t round)
{
	uint32_t found = 0;

	for (uint32_t n = 1; n <= p->index->count; n++) {
		const struct event *e = &p->index->events[n];

		found += e->kind == EV_BARRIER_ENTER && e->object == barrier && happened(p, n) &&
			 round_of(p->index, n) == round;
	}
	return found;
}

static bool may_enter(const struct naive_place *p, uint32_t n)
{
	uint32_t barrier = p->index->events[n].object, own = round_of(p->index, n);
	uint32_t parties = p->index->symbols->barriers.at[barrier].parties;

	for (uint32_t round = 0; round <= p->index->count; round++)
		if (round != own && entered(p, barrier, round) % parties)
			return false;
	return true;
}

static bool may_join(const struct naive_place *p, uint32_t thread)
{
	const struct index_thread *t = &p->index->threads[thread];

	return p->at[thread] == t->count && (!t->fork || happened(p, t->fork));
}

static bool may_happen(const struct naive_place *p, uint32_t n)
{
	const struct event *e = &p->index->events[n];
	const struct symbols *symbols = p->index->symbols;
	uint32_t fork = p->index->threads[e->thread].fork;

	if (fork && !happened(p, fork))
		return false;
	switch ((enum event_kind)e->kind) {
	case EV_JOIN: return may_join(p, e->object);
	case EV_ACQUIRE: return !is_written(p, e->object) && !is_shared(p, e->object);
	case EV_ACQUIRE_SHARED: return !is_written(p, e->object);
	case EV_WOKEN:
		return !is_written(p, e->more->lock) && !is_shared(p, e->more->lock) &&
		       (!e->more->by || happened(p, (uint32_t)e->more->by));
	case EV_BARRIER_ENTER: return may_enter(p, n);
	case EV_BARRIER_EXIT:
		return entered(p, e->object, round_of(p->index, n)) ==
		       symbols->barriers.at[e->object].parties;
	case EV_SEM_WAIT:
		return (int64_t)symbols->semaphores.at[e->object].count +
			       count(p, EV_SEM_POST, e->object) >
		       count(p, EV_SEM_WAIT, e->object);
	case EV_ONCE_PASS: return count(p, EV_ONCE_END, e->object);
	default: return true;
	}
}

/* One state: what it says, and where that leads. */
static void put_state(FILE *out, struct naive_place *p, const struct properties *names,
		      struct intern *states, struct naive_program *result)
{
	bool any = false, through = true;

	for (uint32_t t = 0; t < p->index->thread_count; t++) {
		const struct index_thread *thread = &p->index->threads[t];

		if (p->at[t] == thread->count)
			continue;
		through = false;
		uint32_t n = thread->events[p->at[t]];
		const char *said = properties_event(names, n);

		if (!may_happen(p, n))
			continue;
		p->at[t]++;
		fprintf(out, "%s %s%sS%u", any ? " |~|" : "", said ? said : "", said ? " -> " : "",
			intern_add(states, (const char *)p->at, sizeof(p->at)));
		p->at[t]--;
		any = true;
	}
	fputs(any ? "\n" : through ? " endthreads -> STOP\n" : " STOP\n", out);
	result->deadlock |= !any && !through;
}

bool naive_program(const struct index *index, const struct properties *names, uint32_t most,
		   struct naive_program *result)
{
	struct naive_place p = {.index = index};
	struct intern states = {0};
	size_t size;

	memset(result, 0, sizeof(*result));
	ASSERT_TRUE(index->thread_count <= sizeof(p.at) / sizeof(*p.at));
	FILE *out = open_memstream(&result->script, &size);

	intern_add(&states, (const char *)p.at, sizeof(p.at));
	for (uint32_t i = 0; i < states.strings.n && states.strings.n <= most; i++) {
		memcpy(p.at, intern_text(&states, i), sizeof(p.at));
		fprintf(out, "S%u =", i);
		put_state(out, &p, names, &states, result);
	}
	fclose(out);
	result->states = (uint32_t)states.strings.n;
	intern_release(&states);
	return result->states <= most;
}
