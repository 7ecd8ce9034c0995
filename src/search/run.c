/* SPDX-License-Identifier: MIT */
/* What can happen next in a run, and what it changes: the tables of doc/model.md. */
#include "search/run.h"

#include "base/sorted.h"
#include "search/run_state.h"

#include <stdlib.h>
#include <string.h>

const char *const run_fault_text[RUN_FAULT_COUNT] = {
#define FAULT_ROW(name, text) [name] = text,
	RUN_FAULTS(FAULT_ROW)
#undef FAULT_ROW
};

static void *new_array(struct run *run, size_t n, size_t size)
{
	void *got = arena_alloc(&run->memory, n * size);

	if (n)
		memset(got, 0, n * size);
	return got;
}

static void *new_objects(struct run *run, enum object_class class, size_t size)
{
	return new_array(run, symbols_count(run->index->symbols, class), size);
}

static void note_lives(struct run *run, uint32_t n)
{
	const struct event *e = &run->index->events[n];

	if (e->kind != EV_ALLOC && e->kind != EV_FREE && e->kind != EV_EXTERNAL)
		return;
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct run_external external = {event_part(e, i).variable, n};
		struct run_cell *cell = &run->cells[external.variable];

		if (e->kind == EV_ALLOC)
			cell->alloc = n;
		else if (e->kind == EV_FREE)
			cell->free = n;
		else
			vec_push(&run->externals, external);
		cell->has_external |= e->kind == EV_EXTERNAL;
	}
}

static int compare_externals(const void *a, const void *b)
{
	const struct run_external *x = a, *y = b;

	if (x->variable != y->variable)
		return x->variable < y->variable ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

struct run *run_new(const struct index *index, enum model model)
{
	struct run *run = mem_alloc_zero(1, sizeof(*run));

	run->index = index;
	run->model = model;
	run->position = new_array(run, index->thread_count, sizeof(*run->position));
	run->changes = new_array(run, index->thread_count, sizeof(*run->changes));
	run->cells = new_objects(run, CLASS_VARIABLE, sizeof(*run->cells));
	run->locks = new_objects(run, CLASS_LOCK, sizeof(*run->locks));
	run->semaphores = new_objects(run, CLASS_SEMAPHORE, sizeof(*run->semaphores));
	run->barriers = new_objects(run, CLASS_BARRIER, sizeof(*run->barriers));
	run->sleepers = new_objects(run, CLASS_CONDITION, sizeof(*run->sleepers));
	run->missed = new_array(run, index->thread_count, sizeof(*run->missed));
	run->once_begin = new_objects(run, CLASS_ONCE, sizeof(*run->once_begin));
	run->once_end = new_objects(run, CLASS_ONCE, sizeof(*run->once_end));
	/* calloc: pages that no change touches cost nothing */
	run->change_of = mem_alloc_zero((size_t)index->count + 1, sizeof(*run->change_of));
	for (uint32_t n = 1; n <= index->count; n++)
		note_lives(run, n);
	if (run->externals.n)
		qsort(run->externals.at, run->externals.n, sizeof(*run->externals.at),
		      compare_externals);
	run_reset(run);
	return run;
}

void run_free(struct run *run)
{
	if (!run)
		return;
	for (size_t l = 0; l < symbols_count(run->index->symbols, CLASS_LOCK); l++)
		vec_release(&run->locks[l].holds);
	mem_free(run->change_of);
	vec_release(&run->externals);
	vec_release(&run->changed);
	vec_release(&run->touched);
	vec_release(&run->depends.named);
	arena_release(&run->memory);
	mem_free(run);
}

void run_reset(struct run *run)
{
	const struct symbols *symbols = run->index->symbols;
	uint32_t threads = run->index->thread_count;

	for (size_t i = 0; i < run->touched.n; i++)
		run->cells[run->touched.at[i]].touched = false;
	for (size_t i = 0; i < run->changed.n; i++)
		run->change_of[run->changed.at[i].read] = 0;
	run->touched.n = run->changed.n = 0;
	run->steps = 0;
	run->base = 1;
	if (threads) {
		memset(run->position, 0, threads * sizeof(*run->position));
		memset(run->changes, 0, threads * sizeof(*run->changes));
		memset(run->missed, 0, threads * sizeof(*run->missed));
	}
	/* of these there are few */
	for (size_t i = 0; i < symbols_count(symbols, CLASS_LOCK); i++)
		run->locks[i].holds.n = 0;
	for (size_t i = 0; i < symbols_count(symbols, CLASS_SEMAPHORE); i++)
		run->semaphores[i] = symbols->semaphores.at[i].count;
	for (size_t i = 0; i < symbols_count(symbols, CLASS_BARRIER); i++)
		run->barriers[i].entered = 0;
	for (size_t i = 0; i < symbols_count(symbols, CLASS_CONDITION); i++)
		run->sleepers[i] = 0;
	for (size_t i = 0; i < symbols_count(symbols, CLASS_ONCE); i++)
		run->once_begin[i] = run->once_end[i] = 0;
}

void run_allow_early(struct run *run, bool early)
{
	run->early = early;
	run_reset(run);
}

uint32_t run_next(const struct run *run, uint32_t thread)
{
	const struct index_thread *t = &run->index->threads[thread];

	return run->position[thread] < t->count ? t->events[run->position[thread]] : 0;
}

uint32_t run_open(const struct run *run, uint32_t lock, size_t i)
{
	return i < run->locks[lock].holds.n ? run->locks[lock].holds.at[i].event : 0;
}

uint32_t run_half_entered(const struct run *run, uint32_t barrier)
{
	return run->barriers[barrier].entered ? run->barriers[barrier].round + 1 : 0;
}

bool run_done(const struct run *run, uint32_t event)
{
	if (run->index->position[event] >= run->position[run->index->events[event].thread])
		return false;
	return !run->index->arm || !run_skipped(run, event);
}

bool run_skipped(const struct run *run, uint32_t event)
{
	uint32_t change = run->change_of[event];

	return change && run->changed.at[change - 1].skipped;
}

bool run_changed(const struct run *run, uint32_t read)
{
	return run->change_of[read];
}

bool run_complete(const struct run *run)
{
	return run->steps == run->index->count;
}

static bool fail(struct run_fault *fault, enum run_fault_kind kind, uint32_t event)
{
	*fault = (struct run_fault){kind, event};
	return false;
}

static bool need(const struct run *run, uint32_t event, struct run_fault *fault)
{
	return !event || run_done(run, event) || fail(fault, RUN_MISSING, event);
}

/* Another thread's hold of the lock, of any kind or as a writer. */
static const struct run_hold *other_hold(const struct run *run, uint32_t lock, uint32_t thread,
					 bool by_writer)
{
	const struct run_lock *l = &run->locks[lock];

	for (size_t i = 0; i < l->holds.n; i++)
		if (l->holds.at[i].thread != thread && !(by_writer && l->holds.at[i].shared))
			return &l->holds.at[i];
	return NULL;
}

static bool can_take(const struct run *run, uint32_t lock, uint32_t thread, bool shared,
		     struct run_fault *fault)
{
	const struct run_hold *hold = other_hold(run, lock, thread, shared);

	return !hold || fail(fault, RUN_LOCKED, hold->event);
}

static bool can_join(const struct run *run, uint32_t thread, struct run_fault *fault)
{
	const struct index_thread *t = &run->index->threads[thread];

	return need(run, t->fork, fault) &&
	       (!t->count || need(run, t->events[t->count - 1], fault));
}

static bool can_signal(const struct run *run, uint32_t n, struct run_fault *fault)
{
	const struct index *index = run->index;
	const struct event *e = &index->events[n];
	uint32_t asleep = 0;

	for (uint32_t i = index_first_wake(index, n);
	     i < index->wake_count && index->wakes[i].by == n; i++) {
		uint32_t woken = index->wakes[i].woken, thread = index->events[woken].thread;

		if (run_done(run, woken))
			return fail(fault, RUN_AWAKE, woken);
		if (run_next(run, thread) == woken)
			asleep++;
		else if (!run->early)
			return fail(fault, RUN_MISSING,
				    index->threads[thread].events[index->position[woken] - 1]);
	}
	if (e->kind == EV_SIGNAL && asleep)
		return true; /* of those that sleep, the system may choose the one it chose */
	if (run->sleepers[e->object] == asleep)
		return true;
	for (uint32_t t = 0; t < index->thread_count; t++) {
		uint32_t next = run_next(run, t);
		const struct event *woken = &index->events[next];

		if (next && woken->kind == EV_WOKEN && woken->object == e->object &&
		    woken->more->by && woken->more->by != n &&
		    (run->missed[t] || !run_done(run, (uint32_t)woken->more->by)))
			return fail(fault, RUN_SLEEPER, next);
	}
	BUG("a sleeper that is nowhere");
}

/* Where the first external of the variable is that comes at or after event n. */
static size_t external_place(const struct run *run, uint32_t variable, uint32_t n)
{
	struct run_external wanted = {variable, n};
	return LOWER_BOUND(i, 0, run->externals.n,
			   compare_externals(&run->externals.at[i], &wanted) < 0);
}

uint32_t run_externals_before(const struct run *run, uint32_t variable, uint32_t n)
{
	return (uint32_t)(external_place(run, variable, n) - external_place(run, variable, 0));
}

/* The accesses that happened are those before the external: so far all can only be of these. */
static bool can_change(struct run *run, uint32_t external, uint32_t variable,
		       struct run_fault *fault)
{
	const struct index_list *list = &run->index->uses[CLASS_VARIABLE][variable];
	const struct run_cell *cell = run_touch(run, variable);
	uint32_t i = 0;

	if (cell->accesses == index_place(list, external))
		return true;
	while (run_done(run, list->events[i]))
		i++;
	return fail(fault, RUN_MISSING, list->events[i]);
}

/*
 * Nothing moves across an external. They happen in their order, so it is enough to count: an
 * access comes after as many as were recorded before it.
 */
static bool can_cross(struct run *run, uint32_t n, uint32_t variable, struct run_fault *fault)
{
	const struct run_cell *cell = run_touch(run, variable);
	size_t first = external_place(run, variable, 0), here = external_place(run, variable, n);
	size_t next = first + cell->externals;

	if (next < here)
		return fail(fault, RUN_MISSING, run->externals.at[next].event);
	if (next > here)
		return fail(fault, RUN_EXTERNAL, run->externals.at[here].event);
	return run->index->events[n].kind != EV_EXTERNAL || can_change(run, n, variable, fault);
}

static bool can_access(struct run *run, uint32_t n, struct run_fault *fault)
{
	const struct event *e = &run->index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t variable = event_part(e, i).variable;
		const struct run_cell *cell = &run->cells[variable];

		if (cell->free && run_done(run, cell->free))
			return fail(fault, RUN_FREED, cell->free);
		if (cell->alloc && cell->alloc != n && !run_done(run, cell->alloc))
			return fail(fault, RUN_MISSING, cell->alloc);
		if (e->kind == EV_ALLOC && run_touch(run, variable)->accesses)
			return fail(fault, RUN_ACCESSED, 0);
		if (cell->has_external && !can_cross(run, n, variable, fault))
			return false;
	}
	return true;
}

/* The event is its thread's next, its thread exists, and the guards hold. */
static bool can_come(struct run *run, uint32_t n, struct run_fault *fault)
{
	if (!n || n > run->index->count)
		return fail(fault, RUN_NOT_NEXT, 0);
	const struct event *e = &run->index->events[n];

	if (run->index->position[n] != run->position[e->thread])
		return fail(fault, RUN_NOT_NEXT, run_next(run, e->thread));
	return need(run, run->index->threads[e->thread].fork, fault) && run_guard(run, n, fault);
}

static bool can_enter(const struct run *run, uint32_t n, struct run_fault *fault)
{
	const struct run_barrier *b = &run->barriers[run->index->events[n].object];

	return !b->entered || b->round == run->index->round[n] || fail(fault, RUN_BARRIER, 0);
}

/* The first enter of the round that has not happened. */
static uint32_t missing_enter(const struct run *run, uint32_t exit)
{
	const struct index *index = run->index;
	const struct index_list *list = &index->uses[CLASS_BARRIER][index->events[exit].object];

	for (uint32_t i = 0; i < list->count; i++)
		if (index->events[list->events[i]].kind == EV_BARRIER_ENTER &&
		    index->round[list->events[i]] == index->round[exit] &&
		    !run_done(run, list->events[i]))
			return list->events[i];
	return 0;
}

static bool can_exit(const struct run *run, uint32_t n, struct run_fault *fault)
{
	const struct run_barrier *b = &run->barriers[run->index->events[n].object];

	/* its thread has entered the round, and only one round is half entered at a time */
	return !b->entered || b->round != run->index->round[n] ||
	       fail(fault, RUN_MISSING, missing_enter(run, n));
}

static bool can_pass(const struct run *run, uint32_t n, struct run_fault *fault)
{
	const struct index_list *list = &run->index->uses[CLASS_ONCE][run->index->events[n].object];

	if (run->once_end[run->index->events[n].object])
		return true;
	for (uint32_t i = 0; i < list->count; i++)
		if (run->index->events[list->events[i]].kind == EV_ONCE_END)
			return fail(fault, RUN_MISSING, list->events[i]);
	return fail(fault, RUN_MISSING, 0);
}

/* The event is its thread's next and its guards hold: can it happen? */
static bool can_happen(struct run *run, uint32_t n, struct run_fault *fault)
{
	const struct event *e = &run->index->events[n];

	switch ((enum event_kind)e->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_ALLOC:
	case EV_FREE:
	case EV_EXTERNAL: return can_access(run, n, fault);
	case EV_FORK: return !run->position[e->object] || fail(fault, RUN_STARTED, 0);
	case EV_JOIN: return can_join(run, e->object, fault);
	case EV_ACQUIRE: return can_take(run, e->object, e->thread, false, fault);
	case EV_ACQUIRE_SHARED: return can_take(run, e->object, e->thread, true, fault);
	case EV_TRY_FAIL:
		return other_hold(run, e->object, e->thread, false) ||
		       fail(fault, RUN_NOT_LOCKED, 0);
	case EV_WOKEN:
		return need(run, (uint32_t)e->more->by, fault) &&
		       (!run->missed[e->thread] ||
			fail(fault, RUN_MISSED, (uint32_t)e->more->by)) &&
		       can_take(run, e->more->lock, e->thread, false, fault);
	case EV_SIGNAL:
	case EV_BROADCAST: return can_signal(run, n, fault);
	case EV_BARRIER_ENTER: return can_enter(run, n, fault);
	case EV_BARRIER_EXIT: return can_exit(run, n, fault);
	case EV_SEM_WAIT: return run->semaphores[e->object] || fail(fault, RUN_SEMAPHORE, 0);
	case EV_SEM_FAIL: return !run->semaphores[e->object] || fail(fault, RUN_SEMAPHORE, 0);
	case EV_ONCE_BEGIN:
		return !run->once_begin[e->object] ||
		       fail(fault, RUN_BEGUN, run->once_begin[e->object]);
	case EV_ONCE_PASS: return can_pass(run, n, fault);
	/* the guard of a branch was looked at */
	case EV_BRANCH:
	/* the thread's own events see to these: it has the lock, it began the once */
	case EV_RELEASE:
	case EV_RELEASE_SHARED:
	case EV_WAIT:
	case EV_ONCE_END:
	case EV_BEGIN:
	case EV_END:
	case EV_SEM_POST:
	case EV_MARK: return true;
	case EV_COUNT: break;
	}
	BUG("not an event");
}

bool run_can(struct run *run, uint32_t event, struct run_fault *fault)
{
	struct run_fault unused;

	if (!fault)
		fault = &unused;
	fault->kind = RUN_FINE;
	fault->event = 0;
	return can_come(run, event, fault) && can_happen(run, event, fault);
}

static void take_lock(struct run *run, uint32_t lock, uint32_t n, bool shared)
{
	struct run_lock *l = &run->locks[lock];
	uint32_t thread = run->index->events[n].thread;

	for (size_t i = 0; shared && i < l->holds.n; i++) {
		if (l->holds.at[i].thread == thread) {
			l->holds.at[i].times++;
			return;
		}
	}
	struct run_hold hold = {.thread = thread, .event = n, .times = 1, .shared = shared};

	vec_push(&l->holds, hold);
}

static void drop_lock(struct run *run, uint32_t lock, uint32_t thread)
{
	struct run_lock *l = &run->locks[lock];
	size_t i = 0;

	while (i < l->holds.n && l->holds.at[i].thread != thread)
		i++;
	ASSERT(i < l->holds.n);
	if (!--l->holds.at[i].times)
		l->holds.at[i] = l->holds.at[--l->holds.n];
}

/* From here the thread sleeps, if the trace says who wakes it. */
static void fall_asleep(struct run *run, uint32_t n)
{
	const struct event *e = &run->index->events[n];
	const struct index_thread *t = &run->index->threads[e->thread];
	uint32_t after = run->index->position[n] + 1;
	uint64_t by = after < t->count ? run->index->events[t->events[after]].more->by : 0;

	if (!by)
		return;
	run->sleepers[e->object]++;
	run->missed[e->thread] = run->early && run_done(run, (uint32_t)by);
}

static void wake_up(struct run *run, uint32_t n)
{
	const struct index *index = run->index;

	for (uint32_t i = index_first_wake(index, n);
	     i < index->wake_count && index->wakes[i].by == n; i++) {
		uint32_t woken = index->wakes[i].woken;

		if (!run->early || run_next(run, index->events[woken].thread) == woken)
			run->sleepers[index->events[n].object]--;
	}
}

static void enter_barrier(struct run *run, uint32_t n)
{
	const struct event *e = &run->index->events[n];
	struct run_barrier *b = &run->barriers[e->object];

	b->round = run->index->round[n];
	if (++b->entered == run->index->symbols->barriers.at[e->object].parties)
		b->entered = 0;
}

void run_take_sync(struct run *run, uint32_t n)
{
	const struct event *e = &run->index->events[n];

	switch (e->kind) {
	case EV_ACQUIRE: take_lock(run, e->object, n, false); break;
	case EV_ACQUIRE_SHARED: take_lock(run, e->object, n, true); break;
	case EV_RELEASE:
	case EV_RELEASE_SHARED: drop_lock(run, e->object, e->thread); break;
	case EV_WAIT:
		drop_lock(run, e->more->lock, e->thread);
		fall_asleep(run, n);
		break;
	case EV_WOKEN: take_lock(run, e->more->lock, n, false); break;
	case EV_SIGNAL:
	case EV_BROADCAST: wake_up(run, n); break;
	case EV_BARRIER_ENTER: enter_barrier(run, n); break;
	case EV_SEM_POST: run->semaphores[e->object]++; break;
	case EV_SEM_WAIT: run->semaphores[e->object]--; break;
	case EV_ONCE_BEGIN: run->once_begin[e->object] = n; break;
	case EV_ONCE_END: run->once_end[e->object] = n; break;
	default: break;
	}
}

/* A branch that went the other way: its thread goes past the events in its scope. */
static void skip_scope(struct run *run, uint32_t branch)
{
	uint32_t thread = run->index->events[branch].thread;

	for (uint32_t left = run_skips(run, branch); left; left--) {
		run_skip(run, run_next(run, thread));
		run->position[thread]++;
		run->steps++;
	}
}

static void take(struct run *run, uint32_t n)
{
	const struct event *e = &run->index->events[n];

	if (event_is(e, EV_ACCESS))
		run_access(run, n);
	else
		run_take_sync(run, n);
	run->position[e->thread]++;
	run->steps++;
	if (e->kind == EV_BRANCH)
		skip_scope(run, n);
}

bool run_step(struct run *run, uint32_t event, struct run_fault *fault)
{
	if (!run_can(run, event, fault))
		return false;
	if (run->model == MODEL_SAID && run_would_change(run, event)) {
		if (fault)
			fail(fault, RUN_CHANGED, event);
		return false;
	}
	take(run, event);
	return true;
}
