/* SPDX-License-Identifier: MIT */
#include "predict/around.h"

#include "model/sections.h"

#include <stdlib.h>

/* A thread is held back before the event `from`, and then another one takes the event `then`. */
struct cut {
	uint32_t from;
	uint32_t then; /* 0: none */
	size_t place;  /* of `from` in the run */
};

struct state {
	const struct index *index;
	const struct witness *witness;
	const struct sections *sections;
	uint32_t *done; /* of each thread, events that it is past */
	VEC(struct cut) cuts;
};

/* What the thread waits at; 0: it has ended, or does not exist. */
static uint32_t next_of(const struct state *s, uint32_t thread)
{
	const struct index_thread *t = &s->index->threads[thread];
	uint32_t fork = t->fork;
	bool exists = !fork || s->index->position[fork] < s->done[s->index->events[fork].thread];

	return exists && s->done[thread] < t->count ? t->events[s->done[thread]] : 0;
}

static void add_cut(struct state *s, uint32_t from, uint32_t then)
{
	struct cut cut = {.from = from, .then = then};

	for (size_t i = 0; i < s->cuts.n; i++)
		if (s->cuts.at[i].from == from && s->cuts.at[i].then == then)
			return;
	while (cut.place < witness_length(s->witness) &&
	       witness_event(s->witness, cut.place) != from)
		cut.place++;
	if (cut.place < witness_length(s->witness))
		vec_push(&s->cuts, cut);
}

/* Who holds the lock comes to it after the one that waits. */
static void cut_holders(struct state *s, uint32_t waiting, uint32_t lock, uint32_t then)
{
	for (uint32_t t = 0; t < s->index->thread_count; t++) {
		uint32_t next = next_of(s, t);
		const struct section *held = next && t != s->index->events[waiting].thread
						     ? sections_around(s->sections, t, lock, next)
						     : NULL;

		if (held)
			add_cut(s, held->acquire, then);
	}
}

/* Likewise who took the last of a semaphore. */
static void cut_takers(struct state *s, uint32_t waiting)
{
	const struct event *events = s->index->events;

	for (size_t i = witness_length(s->witness); i-- > 0;) {
		uint32_t n = (uint32_t)witness_event(s->witness, i);

		if (events[n].kind == EV_SEM_WAIT && events[n].object == events[waiting].object &&
		    events[n].thread != events[waiting].thread && next_of(s, events[n].thread)) {
			add_cut(s, n, waiting);
			return;
		}
	}
}

/* The signal comes after the wait: its thread is held back before all locks that it has by then. */
static void cut_signal(struct state *s, uint32_t signal)
{
	uint32_t from = signal, thread = s->index->events[signal].thread;
	const struct section *around = NULL;

	while ((around = sections_next(s->sections, thread, signal, around)))
		from = around->acquire;
	add_cut(s, from, 0);
}

static void add_cuts(struct state *s, uint32_t waiting)
{
	const struct event *e = &s->index->events[waiting];

	switch (e->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED: cut_holders(s, waiting, e->object, waiting); break;
	case EV_SEM_WAIT: cut_takers(s, waiting); break;
	case EV_WOKEN:
		cut_holders(s, waiting, e->more->lock, 0);
		if (e->more->by)
			cut_signal(s, (uint32_t)e->more->by);
		break;
	default: break;
	}
}

static int compare_cuts(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;

	if (x->place != y->place)
		return x->place > y->place ? -1 : 1;
	return x->then < y->then ? -1 : x->then > y->then;
}

/* The run without what the thread does behind the cut, and those that it would create there. */
static void add_schedule(const struct state *s, const struct cut *cut, struct schedules *out)
{
	const struct witness *w = s->witness;
	struct witness new = {.model = w->model, .bug = w->bug};
	bool *gone = mem_alloc_zero(s->index->thread_count, sizeof(*gone));

	for (size_t i = 0; i < witness_length(w); i++) {
		const struct event *e = &s->index->events[witness_event(w, i)];

		if (i == cut->place)
			gone[e->thread] = true;
		if (!gone[e->thread])
			vec_push(&new.run, witness_event(w, i));
		else if (e->kind == EV_FORK)
			gone[e->object] = true;
	}
	if (cut->then)
		vec_push(&new.run, cut->then);
	mem_free(gone);
	vec_push(&out->at, new);
}

void around_list(const struct index *index, const struct witness *w, struct schedules *out)
{
	struct state s = {.index = index, .witness = w, .sections = sections_of(index)};

	s.done = mem_alloc_zero(index->thread_count, sizeof(*s.done));
	index_come_to(index, w->recorded, w->run.at, w->run.n, s.done);
	for (uint32_t t = 0; t < index->thread_count; t++)
		if (next_of(&s, t))
			add_cuts(&s, next_of(&s, t));
	if (s.cuts.n)
		qsort(s.cuts.at, s.cuts.n, sizeof(*s.cuts.at), compare_cuts);
	for (size_t i = 0; i < s.cuts.n; i++)
		add_schedule(&s, &s.cuts.at[i], out);
	vec_release(&s.cuts);
	mem_free(s.done);
}

void schedules_release(struct schedules *s)
{
	for (size_t i = 0; i < s->at.n; i++)
		witness_release(&s->at.at[i]);
	vec_release(&s->at);
}
