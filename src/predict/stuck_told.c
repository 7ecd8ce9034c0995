/* SPDX-License-Identifier: MIT */
#include "predict/stuck_told.h"

#include "model/lockset.h"
#include "model/sites.h"
#include "predict/predict.h"

#include <string.h>

struct told {
	struct prediction *prediction;
	const struct index *index;
	struct sites places;	/* where the threads of reported stuck states wait */
	struct locksets *locks; /* when they are first needed */
	uint32_t *next;		/* of each thread, what it waits at in a state; 0: nothing */
};

static void load_state(struct told *told, struct finding *f)
{
	const struct index *index = told->index;
	uint32_t *done = mem_alloc_zero(index->thread_count, sizeof(*done));

	finding_open(f);
	index_come_to(index, f->witness.recorded, f->witness.run.at, f->witness.run.n, done);
	finding_close(f);
	memset(told->next, 0, index->thread_count * sizeof(*told->next));
	for (uint32_t t = 0; t < index->thread_count; t++) {
		const struct index_thread *thread = &index->threads[t];
		uint32_t fork = thread->fork;
		bool exists = !fork || index->position[fork] < done[index->events[fork].thread];

		if (exists && done[t] < thread->count)
			told->next[t] = thread->events[done[t]];
	}
	mem_free(done);
}

/* A thread that holds the lock, other than this one; thread_count: none that waits. */
static uint32_t holder_of(struct told *told, uint32_t lock, uint32_t thread)
{
	if (!told->locks)
		told->locks = locksets_new(told->index);
	for (uint32_t t = 0; t < told->index->thread_count; t++) {
		uint32_t next = told->next[t];

		if (next && t != thread &&
		    locksets_find(told->locks, told->locks->before[next], lock))
			return t;
	}
	return told->index->thread_count;
}

/* Whom the thread waits for, where that is one: thread_count if not. */
static uint32_t waits_for(struct told *told, uint32_t thread)
{
	uint32_t n = told->next[thread];
	const struct event *e = &told->index->events[n];

	if (n && (e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED))
		return holder_of(told, e->object, thread);
	if (n && e->kind == EV_JOIN)
		return e->object;
	return told->index->thread_count;
}

/* Some thread of the circle in which this one's waiting ends; thread_count if it does not. */
static uint32_t find_circle(struct told *told, uint32_t thread)
{
	uint32_t none = told->index->thread_count;

	for (uint32_t i = 0; i < none && thread != none; i++)
		thread = waits_for(told, thread);
	return thread;
}

/* Do all threads of the circle wait at places of this deadlock? */
static bool is_circle_of(struct told *told, uint32_t thread, const struct finding *deadlock)
{
	const struct witness *w = &deadlock->witness;
	struct sites places = {0};
	bool all = true;
	uint32_t t = thread;

	for (size_t i = 0; i < w->bug_events.n; i++)
		sites_add(&places, &told->index->events[w->bug_events.at[i]]);
	do {
		all &= sites_find(&places, &told->index->events[told->next[t]]) != SITE_NONE;
		t = waits_for(told, t);
	} while (all && t != thread);
	sites_release(&places);
	return all;
}

static bool is_circle_of_any(struct told *told, uint32_t thread, const struct finding *all,
			     size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].witness.bug == BUG_DEADLOCK && is_circle_of(told, thread, &all[i]))
			return true;
	return false;
}

/* A state has been loaded. */
static bool is_end_of_deadlock(struct told *told, uint64_t event)
{
	const struct prediction *p = told->prediction;
	uint32_t circle = find_circle(told, told->index->events[event].thread);

	return circle != told->index->thread_count &&
	       (is_circle_of_any(told, circle, p->findings.at, p->findings.n) ||
		is_circle_of_any(told, circle, p->held.at, p->held.n));
}

static bool is_told(const struct told *told, uint64_t event)
{
	return sites_find(&told->places, &told->index->events[event]) != SITE_NONE;
}

/* Is it to be reported? */
static bool tell(struct told *told, struct finding *f)
{
	uint64_t event = f->witness.bug_events.at[0];

	if (is_told(told, event))
		return false;
	load_state(told, f);
	if (is_end_of_deadlock(told, event))
		return false;
	for (uint32_t t = 0; t < told->index->thread_count; t++)
		if (told->next[t])
			sites_add(&told->places, &told->index->events[told->next[t]]);
	return true;
}

/*
 * Findings come by their kinds, deadlocks before stuck states, and then by their events, so that
 * who is kept does not depend on who was found first.
 */
static void merge_findings(struct told *told)
{
	struct prediction *p = told->prediction;
	size_t kept = 0;

	for (size_t i = 0; i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		if (f->witness.bug == BUG_STUCK && !tell(told, f)) {
			finding_release(f);
			p->kinds[BUG_STUCK].signatures--;
		} else {
			p->findings.at[kept++] = *f;
		}
	}
	p->findings.n = kept;
}

/* They count as refuted. */
static void merge_held(struct told *told)
{
	struct prediction *p = told->prediction;
	size_t kept = 0;

	for (size_t i = 0; i < p->held.n; i++) {
		struct finding *f = &p->held.at[i];

		if (f->witness.bug == BUG_STUCK && !tell(told, f)) {
			finding_release(f);
			p->kinds[BUG_STUCK].signatures--;
			p->kinds[BUG_STUCK].refuted--;
		} else {
			p->held.at[kept++] = *f;
		}
	}
	p->held.n = kept;
}

static void merge_undecided(struct told *told)
{
	struct prediction *p = told->prediction;
	size_t kept = 0;

	for (size_t i = 0; i < p->undecided.n; i++) {
		const struct undecided *u = &p->undecided.at[i];

		if (u->bug == BUG_STUCK && u->closest.count && is_told(told, u->closest.at[0]))
			p->kinds[BUG_STUCK].signatures--;
		else
			p->undecided.at[kept++] = *u;
	}
	p->undecided.n = kept;
}

void stuck_told_merge(struct prediction *p)
{
	struct told told = {.prediction = p, .index = p->index};

	told.next = mem_alloc_zero(p->index->thread_count, sizeof(*told.next));
	merge_findings(&told);
	merge_held(&told);
	merge_undecided(&told);
	mem_free(told.next);
	if (told.locks)
		locksets_free(told.locks);
	sites_release(&told.places);
}
