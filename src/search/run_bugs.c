/* SPDX-License-Identifier: MIT */
/* What is wrong where a run has come to (doc/model.md, Bugs), and witnesses as a whole. */
#include "model/regions.h"
#include "property/monitor.h"
#include "search/run_state.h"

static bool is_next(const struct run *run, uint64_t event)
{
	return event && event <= run->index->count &&
	       run_next(run, run->index->events[event].thread) == event;
}

static bool shows_race(struct run *run, const struct query *q)
{
	return q->count == 2 && run_can(run, q->events[0], NULL) &&
	       run_can(run, q->events[1], NULL) &&
	       index_conflict(run->index, q->events[0], q->events[1]);
}

/* The thread of the event, its next, would block in the real call. */
static bool is_waiting(struct run *run, uint32_t n)
{
	struct run_fault fault;

	if (run_can(run, n, &fault) || fault.kind == RUN_NOT_NEXT || fault.kind == RUN_GUARD)
		return false;
	const struct event *e = &run->index->events[n];
	uint32_t fork = run->index->threads[e->thread].fork;

	if (!event_blocks(e) || (fork && !run_done(run, fork)))
		return false;
	switch (e->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED:
	case EV_WOKEN:
	case EV_BARRIER_EXIT:
	case EV_SEM_WAIT: return true;
	case EV_JOIN: /* if it is not forked yet, there is nothing to join */
		fork = run->index->threads[e->object].fork;
		return !fork || run_done(run, fork);
	case EV_ONCE_PASS: return run->once_begin[e->object];
	default: return false;
	}
}

/* Does the next event of a thread that waits ask for a lock that the other one holds? */
static bool waits_for(struct run *run, uint32_t n, uint32_t other)
{
	const struct event *e = &run->index->events[n];
	uint32_t lock = e->object;
	bool shared = e->kind == EV_ACQUIRE_SHARED;

	if (e->kind == EV_WOKEN &&
	    (!e->more->by || (run_done(run, (uint32_t)e->more->by) && !run->missed[e->thread])))
		lock = e->more->lock;
	else if (e->kind != EV_ACQUIRE && !shared)
		return false;
	for (size_t i = 0; i < run->locks[lock].holds.n; i++) {
		const struct run_hold *hold = &run->locks[lock].holds.at[i];

		if (hold->thread == other && other != e->thread && !(shared && hold->shared))
			return true;
	}
	return false;
}

static bool shows_deadlock(struct run *run, const struct query *q)
{
	for (uint32_t i = 0; i < q->count; i++) {
		uint32_t n = q->events[i], other = q->events[(i + 1) % q->count];

		if (!is_next(run, n) || !is_next(run, other) || !is_waiting(run, n) ||
		    !waits_for(run, n, run->index->events[other].thread))
			return false;
		for (uint32_t j = 0; j < i; j++)
			if (q->events[i] == q->events[j])
				return false;
	}
	return q->count >= 2;
}

/* A thread without `end` may still do anything; one that was not forked does not exist. */
static bool shows_stuck(struct run *run, const struct query *q)
{
	const struct index *index = run->index;
	bool stuck = false;

	for (uint32_t i = 0; i < q->count; i++)
		if (!is_next(run, q->events[i]) || !is_waiting(run, q->events[i]))
			return false;
	for (uint32_t t = 0; t < index->thread_count; t++) {
		const struct index_thread *thread = &index->threads[t];
		uint32_t next = run_next(run, t);
		bool ended = !next && thread->count &&
			     index->events[thread->events[thread->count - 1]].kind == EV_END;

		if (ended || (thread->fork && !run_done(run, thread->fork)))
			continue;
		if (!next || !is_waiting(run, next))
			return false;
		stuck = true;
	}
	return stuck;
}

static bool all_ended(const struct run *run)
{
	for (uint32_t t = 0; t < run->index->thread_count; t++) {
		const struct index_thread *thread = &run->index->threads[t];

		if (run_next(run, t) || !thread->count ||
		    run->index->events[thread->events[thread->count - 1]].kind != EV_END)
			return false;
	}
	return true;
}

/* Where the run ends: is that what the specification does not allow? */
static bool ends_badly(struct run *run, const struct witness *w, uint32_t state)
{
	struct err err;
	const struct query none = {.bug = BUG_STUCK};
	bool bad = false;

	if (all_ended(run))
		return !run->early && !monitor_if_ended(w->monitor, state, &bad, &err) && bad;
	return monitor_minds_stuck(w->monitor) && shows_stuck(run, &none) &&
	       !monitor_if_stuck(w->monitor, state, &bad, &err) && bad;
}

/* The last event of the run breaks it; or, if none is named, the end does. */
static bool breaks(struct run *run, const struct witness *w)
{
	uint32_t state = monitor_start(w->monitor);
	bool by_event = w->bug_events.n;
	size_t n = witness_length(w);
	struct err err;

	if (by_event &&
	    (w->bug_events.n > 1 || !n || w->bug_events.at[0] != witness_event(w, n - 1)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (state == MONITOR_BAD ||
		    monitor_after(w->monitor, state, (uint32_t)witness_event(w, i), &state, &err) <
			    0)
			return false;
	if (by_event || !n)
		return state == MONITOR_BAD || (!by_event && ends_badly(run, w, state));
	return state != MONITOR_BAD && ends_badly(run, w, state);
}

static bool shows_property(struct run *run, const struct witness *w)
{
	size_t marks = 0;

	if (w->monitor)
		return breaks(run, w);

	for (size_t i = 0; i < witness_length(w); i++) {
		if (run->index->events[witness_event(w, i)].kind != EV_MARK)
			continue;
		if (marks == w->bug_events.n || w->bug_events.at[marks] != witness_event(w, i))
			return false;
		marks++;
	}
	return marks == w->bug_events.n;
}

/* The three accesses come in this order, and the run ends with the last of them. */
static bool shows_atomicity(struct run *run, const struct witness *w)
{
	const uint64_t *bug = w->bug_events.at;
	size_t n = witness_length(w), found = 0;

	if (w->bug_events.n != 3 || !n || witness_event(w, n - 1) != bug[2])
		return false;
	for (size_t i = 0; i < n && found < 3; i++)
		found += witness_event(w, i) == bug[found];
	return found == 3 && bug[0] <= UINT32_MAX && bug[1] <= UINT32_MAX &&
	       regions_violated(run->index, (uint32_t)bug[0], (uint32_t)bug[1], (uint32_t)bug[2]);
}

/* A call that gives up instead of waiting, and what is recorded when it does; or that goes first,
 * and does what is done once. */
static bool is_tried(const struct run *run, const struct event *e)
{
	return (e->kind == EV_ONCE_PASS && !run->once_begin[e->object]) || e->kind == EV_TRY_FAIL ||
	       e->kind == EV_SEM_FAIL ||
	       ((e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED || e->kind == EV_SEM_WAIT) &&
		e->order == EVENT_TRIES);
}

/* A wait for a condition whose time limit is over: what woke it has not come. */
static bool times_out(const struct run *run, const struct event *e)
{
	return e->kind == EV_WOKEN && e->more->by && e->order == EVENT_TRIES &&
	       !run_done(run, (uint32_t)e->more->by);
}

/* The thread sleeps on the condition, and the signal did not wake it there; or the other way round.
 */
static bool is_another(const struct run *run, uint32_t thread, uint32_t signal)
{
	const struct index *index = run->index;
	const struct index_thread *t = &index->threads[thread];
	uint32_t next = run_next(run, thread);
	uint32_t come = next ? index->position[next] : t->count;
	const struct event *last = come ? &index->events[t->events[come - 1]] : NULL;

	uint64_t woken;
	bool did = symbols_woken(index->symbols, thread, &woken) && woken == signal;

	if (did)
		return next; /* it did, in the end */
	if (!last || last->kind != EV_WAIT || last->object != index->events[signal].object)
		return false;
	uint32_t by = next ? (uint32_t)index->events[next].more->by : 0;

	return !by || (by != signal && !run_done(run, by));
}

/* A signal or broadcast: whom it woke does not sleep, or another thread does. */
static bool wakes_others(const struct run *run, uint32_t n)
{
	const struct index *index = run->index;

	if (index->events[n].kind != EV_SIGNAL && index->events[n].kind != EV_BROADCAST)
		return false;
	for (uint32_t i = index_first_wake(index, n);
	     i < index->wake_count && index->wakes[i].by == n; i++) {
		uint32_t woken = index->wakes[i].woken;

		if (run_next(run, index->events[woken].thread) != woken)
			return true;
	}
	for (uint32_t t = 0; t < index->thread_count; t++)
		if (is_another(run, t, n))
			return true;
	return false;
}

static bool run_exists(const struct run *run, uint32_t thread)
{
	uint32_t fork = run->index->threads[thread].fork;

	return !fork || run_done(run, fork);
}

/* Its thread comes to it, and it is not as recorded. */
static bool goes_other_way(struct run *run, uint32_t n)
{
	const struct event *e = &run->index->events[n];
	struct run_fault fault;

	if (!run_exists(run, e->thread))
		return false;
	return run_is_other(run, n) || times_out(run, e) || wakes_others(run, n) ||
	       (is_tried(run, e) && !run_can(run, n, &fault) && fault.kind != RUN_GUARD);
}

static bool shows_choice(struct run *run, const struct witness *w)
{
	const struct index *index = run->index;
	uint32_t n = (uint32_t)w->bug_events.at[0];

	if (w->bug_events.n != 1 || !w->bug_events.at[0] || w->bug_events.at[0] > index->count)
		return false;
	const struct event *e = &index->events[n];
	const struct index_thread *thread = &index->threads[e->thread];
	uint32_t next = run_next(run, e->thread);
	uint32_t come = next ? index->position[next] : thread->count;

	if (next == n)
		return goes_other_way(run, n);
	if (e->kind == EV_FORK && run_done(run, n) && !index->threads[e->object].count)
		return true; /* the new thread may begin */
	if (index->position[n] + 1 != come)
		return false;
	if (event_is(e, EV_RETURNS) &&
	    (run_changed(run, n) || index_reads_other(index, w->recorded, w->run.at, w->run.n, n)))
		return true;
	return !next && e->kind != EV_END;
}

/* What stands at the end of a run; or, of what happened on the way, what is in the witness. */
static const struct {
	bool (*at_end)(struct run *run, const struct query *q);
	bool (*on_the_way)(struct run *run, const struct witness *w);
} shows[] = {
	[BUG_RACE] = {.at_end = shows_race},
	[BUG_DEADLOCK] = {.at_end = shows_deadlock},
	[BUG_STUCK] = {.at_end = shows_stuck},
	[BUG_PROPERTY] = {.on_the_way = shows_property},
	[BUG_ATOMICITY] = {.on_the_way = shows_atomicity},
	[BUG_CHOICE] = {.on_the_way = shows_choice},
};
BUG_ROWS_ARE_ALL(shows);

bool run_shows(struct run *run, const struct query *q)
{
	return shows[q->bug].at_end && shows[q->bug].at_end(run, q);
}

static bool take_all(struct run *run, const uint64_t *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (events[i] > run->index->count || !run_step(run, (uint32_t)events[i], NULL))
			return false;
	return true;
}

/* The trace is an execution: with marks there is no need to go through it. */
static bool take_recorded(struct run *run, uint64_t n)
{
	if (n > run->index->count)
		return false;
	if (n && run->marks) {
		run_start(run, run->marks, (uint32_t)n + 1);
		return true;
	}
	for (uint32_t i = 1; i <= n; i++)
		if (!run_step(run, i, NULL))
			return false;
	return true;
}

static bool shows_bug(struct run *run, const struct witness *w)
{
	VEC(uint32_t) events = {0};
	bool good = true;

	if (shows[w->bug].on_the_way)
		return shows[w->bug].on_the_way(run, w);
	for (size_t i = 0; i < w->bug_events.n; i++) {
		good &= w->bug_events.at[i] <= run->index->count;
		vec_push(&events, (uint32_t)w->bug_events.at[i]);
	}
	struct query q = {.bug = w->bug, .count = (uint32_t)events.n, .events = events.at};

	good = good && run_shows(run, &q);
	vec_release(&events);
	return good;
}

/* The rest completes the trace, and of a race one access directly follows the other. */
static bool completes(struct run *run, const struct witness *w)
{
	const uint64_t *bug = w->bug_events.at, *rest = w->rest.at;

	if (bug_facts[w->bug].adjacent &&
	    !(w->rest.n >= 2 && ((rest[0] == bug[0] && rest[1] == bug[1]) ||
				 (rest[0] == bug[1] && rest[1] == bug[0]))))
		return false;
	return take_all(run, rest, w->rest.n) && run_complete(run);
}

static bool accepts(struct run *run, const struct witness *w, bool early)
{
	run_allow_early(run, early);
	return take_recorded(run, w->recorded) && take_all(run, w->run.at, w->run.n) &&
	       shows_bug(run, w) && (run->model == MODEL_SAID ? completes(run, w) : !w->rest.n);
}

/* Of a property that its last event does not break, the end may be a stuck state. */
static bool may_be_stuck(const struct witness *w)
{
	return w->monitor && !w->bug_events.n && monitor_minds_stuck(w->monitor);
}

bool run_accepts(struct run *run, const struct witness *w)
{
	bool early = run->early, good;

	ASSERT(w->model == run->model);
	good = accepts(run, w, bug_facts[w->bug].early) ||
	       (may_be_stuck(w) && accepts(run, w, true));
	run->early = early;
	return good;
}
