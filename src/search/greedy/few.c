/* SPDX-License-Identifier: MIT */
#include "search/greedy/few.h"

#include <string.h>

#define NOBODY UINT32_MAX

void greedy_few_init(struct greedy_few *f, struct greedy_set *set, struct run *run,
		     const struct run_marks *marks)
{
	*f = (struct greedy_few){.set = set, .run = run, .marks = marks};
	f->goes = mem_alloc_zero(set->index->thread_count, sizeof(*f->goes));
}

void greedy_few_release(struct greedy_few *f)
{
	mem_free(f->goes);
	vec_release(&f->going);
}

/* The thread of this event, if it stands still but could get there. */
static uint32_t thread_for(const struct greedy_few *f, uint32_t event)
{
	uint32_t thread = f->set->index->events[event].thread;

	return event && !f->goes[thread] && greedy_set_can_have(f->set, event) ? thread : NOBODY;
}

/* A read that the event depends on and that returned something else than recorded, or 0. */
static uint32_t changed_read(const struct greedy_few *f, uint32_t n)
{
	const struct index *index = f->set->index;
	const struct event *e = &index->events[n];
	struct depends *depends = &f->set->depends;
	uint32_t position = index->position[n] + (e->kind == EV_RMW);

	depends_of(e, depends);
	for (size_t i = 0; i < depends->named.n; i++)
		if (run_changed(f->run, depends->named.at[i]))
			return depends->named.at[i];
	for (uint32_t i = 0; depends->on_all && i < greedy_tune.few_reads && i < position; i++) {
		uint32_t read = index->threads[e->thread].events[position - 1 - i];

		if (run_changed(f->run, read))
			return read;
	}
	return 0;
}

/* Who could give the read a value that will do: the recorded writer, if it can, or another. */
static uint32_t giver_of(const struct greedy_few *f, uint32_t read)
{
	const struct index *index = f->set->index;

	for (uint32_t i = 0; i < greedy_tune.few_steps && read; i++) {
		uint32_t part = index->parts[read], writer = index->writer[part];

		if (!writer)
			return NOBODY;
		if (!greedy_set_can_have(f->set, writer) && f->set->model != MODEL_PREDICTABLE) {
			uint32_t other = greedy_set_another(f->set, read, part);

			return other == SOURCE_NONE ? NOBODY : thread_for(f, other);
		}
		if (!run_done(f->run, writer))
			return thread_for(f, writer);
		read = changed_read(f, writer);
	}
	return NOBODY;
}

/* Who has to go on so that the event can happen. */
static uint32_t helper_of(const struct greedy_few *f, uint32_t n, const struct run_fault *fault)
{
	uint32_t read = fault->event;

	switch (fault->kind) {
	case RUN_MISSING:
	case RUN_LOCKED: return thread_for(f, fault->event);
	case RUN_SEMAPHORE: return thread_for(f, f->set->facts->partner[n]);
	case RUN_GUARD: break;
	default: return NOBODY;
	}
	if (!read || !run_changed(f->run, read))
		read = changed_read(f, n);
	return giver_of(f, read);
}

static bool is_target_thread(const struct greedy_set *s, uint32_t thread)
{
	for (uint32_t i = 0; i < s->query->count; i++)
		if (s->index->events[s->query->events[i]].thread == thread)
			return true;
	return false;
}

static uint32_t last_target(const struct query *q)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < q->count; i++)
		last = q->events[i] > last ? q->events[i] : last;
	return last;
}

/* Goes through the trace with those who go; the event that cannot happen, or 0, and why. */
static uint32_t walk(struct greedy_few *f, struct event_list *list, struct run_fault *fault)
{
	const struct greedy_set *s = f->set;
	uint32_t end = last_target(s->query);

	list->at.n = 0;
	run_start(f->run, f->marks, s->base);
	for (uint32_t n = s->base; n < end; n++) {
		if (!f->goes[s->index->events[n].thread] || !greedy_set_can_have(s, n) ||
		    run_skipped(f->run, n))
			continue;
		if (!run_step(f->run, n, fault))
			return n;
		vec_push(&list->at, n);
	}
	return 0;
}

static void let_go(struct greedy_few *f, uint32_t thread)
{
	f->goes[thread] = true;
	f->set->cut[thread] = f->set->limit[thread];
	vec_push(&f->going, thread);
}

/* Nobody helps: the thread gets no further than this, not in a section; without those for it. */
static void hold_back(struct greedy_few *f, uint32_t event)
{
	const struct index *index = f->set->index;
	uint32_t thread = index->events[event].thread, last;

	f->set->limit[thread] = index->position[run_marks_first_hold(f->marks, event)];
	do {
		last = f->going.at[--f->going.n];
		f->goes[last] = false;
	} while (last != thread);
}

bool greedy_few_find(struct greedy_few *f, struct event_list *list)
{
	const struct greedy_set *s = f->set;
	struct run_fault fault;

	memset(f->goes, 0, s->index->thread_count * sizeof(*f->goes));
	f->going.n = 0;
	for (uint32_t i = 0; i < s->query->count; i++)
		let_go(f, s->index->events[s->query->events[i]].thread);
	for (uint32_t i = 0; i < greedy_tune.few_walks && !greedy_is_over(s->clock); i++) {
		uint32_t event = walk(f, list, &fault);

		if (!event)
			return true;
		uint32_t helper = helper_of(f, event, &fault);

		if (helper != NOBODY)
			let_go(f, helper);
		else if (is_target_thread(s, s->index->events[event].thread))
			return false;
		else
			hold_back(f, event);
	}
	return false;
}
