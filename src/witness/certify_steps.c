/* SPDX-License-Identifier: MIT */
/* The rules of steps: whether an event can happen, and what it does. */
#include "witness/certify_parts.h"

/* Can it happen? */

#define VARIABLE(c, object) name_of(c, CLASS_VARIABLE, object)
#define CANNOT(c, f, format, ...)                                      \
	certify_reject(c, "event %llu (%s %s) cannot happen: " format, \
		       (unsigned long long)(f)->number,                \
		       name_of(c, CLASS_THREAD, (f)->event.thread),    \
		       event_kind_text[(f)->event.kind], __VA_ARGS__)

static int access_can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t x = event_part(e, i).variable;
		const struct variable_state *v = variable_of(c, x);

		if (v->freed)
			return CANNOT(c, f, "%s was freed", VARIABLE(c, x));
		if (e->kind == EV_ALLOC && v->accesses)
			return CANNOT(c, f, "%s was accessed before", VARIABLE(c, x));
		if (e->kind != EV_ALLOC && !v->allocated)
			return CANNOT(c, f, "%s is not allocated yet", VARIABLE(c, x));
		if (v->externals != fact_place(f, i)->externals)
			return CANNOT(c, f, "it would move across an external write of %s",
				      VARIABLE(c, x));
		if (e->kind == EV_EXTERNAL && v->accesses != fact_place(f, i)->accesses)
			return CANNOT(c, f, "it would move across an access to %s", VARIABLE(c, x));
	}
	return 1;
}

uint32_t *certify_hold_of(struct lock_state *l, uint32_t thread)
{
	for (size_t i = 0; i < l->readers.n; i++)
		if (l->readers.at[i] == thread)
			return &l->readers.at[i];
	return NULL;
}

static bool other_holds(const struct lock_state *l, uint32_t thread)
{
	for (size_t i = 0; i < l->readers.n; i++)
		if (l->readers.at[i] != thread)
			return true;
	return l->writer && l->writer != thread + 1;
}

bool certify_takes_lock(const struct event *e, uint32_t *lock, bool *shared)
{
	*shared = e->kind == EV_ACQUIRE_SHARED;
	*lock = e->kind == EV_WOKEN ? e->more->lock : e->object;
	return *shared || e->kind == EV_ACQUIRE || e->kind == EV_WOKEN;
}

bool certify_waker_happened(struct certifier *c, uint64_t by)
{
	const struct fact *signal = by ? facts_find(&c->facts, by) : NULL;

	return !by || (signal && has_happened(c, signal));
}

static int lock_can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	uint32_t lock;
	bool shared;

	if (certify_takes_lock(e, &lock, &shared)) {
		struct lock_state *l = &c->locks[lock];

		if (e->kind == EV_WOKEN && !certify_waker_happened(c, e->more->by))
			return CANNOT(c, f, "event %llu has not happened",
				      (unsigned long long)e->more->by);
		if (e->kind == EV_WOKEN && state_of(c, f)->missed)
			return CANNOT(c, f, "event %llu came before the wait",
				      (unsigned long long)e->more->by);
		if (l->writer || (!shared && l->readers.n))
			return CANNOT(c, f, "%s is held", name_of(c, CLASS_LOCK, lock));
		return 1;
	}
	lock = e->kind == EV_WAIT ? e->more->lock : e->object;
	struct lock_state *l = &c->locks[lock];

	if (e->kind == EV_TRY_FAIL && !other_holds(l, e->thread))
		return CANNOT(c, f, "no other thread holds %s", name_of(c, CLASS_LOCK, lock));
	if (e->kind == EV_RELEASE_SHARED ? !certify_hold_of(l, e->thread)
					 : e->kind != EV_TRY_FAIL && l->writer != e->thread + 1)
		return CANNOT(c, f, "the thread does not hold %s", name_of(c, CLASS_LOCK, lock));
	return 1;
}

/* On the way to some bugs a signal may come before the wait that it ended. */
static int signal_can_happen(struct certifier *c, const struct fact *f)
{
	bool early = c->bug->early, wakes = false;

	for (const struct woken_thread *woken = f->wakes; woken; woken = woken->next) {
		bool sleeping = c->threads[woken->thread].done + 1 == woken->position;

		if (!sleeping && !early)
			return CANNOT(c, f, "%s, which it woke, does not wait",
				      name_of(c, CLASS_THREAD, woken->thread));
		wakes |= sleeping;
	}
	if (f->event.kind == EV_SIGNAL && wakes)
		return 1; /* whom it wakes is open, and the recorded one is a possible choice */
	for (size_t t = 0; t < c->facts.threads.n; t++) {
		const struct fact *w = c->threads[t].wait;

		if (w && w->event.object == f->event.object && w->waker && w->waker != f->number &&
		    (c->threads[t].missed || !certify_waker_happened(c, w->waker)))
			return CANNOT(c, f, "it would wake %s",
				      name_of(c, CLASS_THREAD, (uint32_t)t));
	}
	return 1;
}

/*
 * So many events of its thread does the branch govern, and no more. 0: all that follow, also if
 * nothing is recorded behind its scope.
 */
static uint64_t scope_of(const struct certifier *c, const struct fact *f)
{
	uint64_t scope = event_scope(&f->event);

	return scope < thread_of(c, f)->events - f->position ? scope : 0;
}

static int other_can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	const char *name = event_kind_class[e->kind] == CLASS_NONE
				   ? ""
				   : name_of(c, event_kind_class[e->kind], e->object);
	int64_t guard;

	switch ((enum event_kind)e->kind) {
	case EV_JOIN: {
		const struct fact_thread *child = &c->facts.threads.at[e->object];

		if ((child->fork && !c->threads[e->object].forked) ||
		    c->threads[e->object].done != child->events)
			return CANNOT(c, f, "%s has not ended", name);
		return 1;
	}
	case EV_BRANCH:
		if (certify_depends_on_change(c, f) &&
		    !(certify_evaluate(c, f, &guard) && (guard || scope_of(c, f))))
			return CANNOT(c, f, "%s", "its guard may not hold");
		return 1;
	case EV_BARRIER_ENTER:
		if (c->barriers[e->object].entered.n && c->barriers[e->object].round != f->round)
			return CANNOT(c, f, "another round of %s is half entered", name);
		return 1;
	case EV_BARRIER_EXIT: {
		const struct barrier_state *b = &c->barriers[e->object];

		for (size_t i = 0; i < b->entered.n; i++)
			if (b->entered.at[i] == e->thread)
				return CANNOT(c, f, "not all parties have entered %s", name);
		return 1;
	}
	case EV_SEM_WAIT: return c->semaphores[e->object] ? 1 : CANNOT(c, f, "%s is 0", name);
	case EV_SEM_FAIL: return c->semaphores[e->object] ? CANNOT(c, f, "%s is not 0", name) : 1;
	case EV_ONCE_BEGIN:
		return c->onces[e->object].begun ? CANNOT(c, f, "%s has begun", name) : 1;
	case EV_ONCE_END:
		if (c->onces[e->object].begun != e->thread + 1 || c->onces[e->object].done)
			return CANNOT(c, f, "the thread is not in %s", name);
		return 1;
	case EV_ONCE_PASS:
		return c->onces[e->object].done ? 1 : CANNOT(c, f, "%s is not done", name);
	default: return 1; /* fork, begin, end, sem-post, mark: always */
	}
}

int certify_can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	const struct thread_state *t = state_of(c, f);
	uint64_t fork = thread_of(c, f)->fork;

	if (f->position != t->done + 1)
		return CANNOT(c, f, "it is event %llu of its thread, of which %llu have happened",
			      (unsigned long long)f->position, (unsigned long long)t->done);
	if (fork && !t->forked)
		return CANNOT(c, f, "its thread is not forked yet (by event %llu)",
			      (unsigned long long)fork);
	if (t->stopped)
		return CANNOT(c, f, "%s", "a read of its thread has changed");
	if (e->more && e->more->at_count &&
	    certify_any_changed(c, f, e->more->at, e->more->at_count))
		return CANNOT(c, f, "%s", "its address depends on a read that has changed");
	if (event_is(e, EV_ACCESS))
		return access_can_happen(c, f);
	if (e->kind >= EV_ACQUIRE && e->kind <= EV_WOKEN)
		return lock_can_happen(c, f);
	if (e->kind == EV_SIGNAL || e->kind == EV_BROADCAST)
		return signal_can_happen(c, f);
	return other_can_happen(c, f);
}

/* What it does */

/* If its guard is 0, the thread goes past the events that it governs, and none of them happens. */
static void take_branch(struct certifier *c, const struct fact *f)
{
	uint64_t end = f->position + scope_of(c, f);
	int64_t guard;

	if (end == f->position || !certify_depends_on_change(c, f) ||
	    !certify_evaluate(c, f, &guard) || guard)
		return;
	for (const struct fact *next = f + 1; state_of(c, f)->done < end; next++) {
		if (next->event.thread != f->event.thread)
			continue;
		state_of(c, f)->done++;
		certify_skip(c, next);
	}
}

void certify_take_recorded(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	struct thread_state *t = state_of(c, f);

	t->done++;
	t->wait = NULL;
	switch ((enum event_kind)e->kind) {
	case EV_FORK: c->threads[e->object].forked = true; break;
	case EV_END: t->ended = true; break;
	case EV_ACQUIRE: c->locks[e->object].writer = e->thread + 1; break;
	case EV_RELEASE: c->locks[e->object].writer = 0; break;
	case EV_ACQUIRE_SHARED: vec_push(&c->locks[e->object].readers, e->thread); break;
	case EV_RELEASE_SHARED: {
		struct lock_state *l = &c->locks[e->object];

		*certify_hold_of(l, e->thread) = l->readers.at[l->readers.n - 1];
		l->readers.n--;
		break;
	}
	case EV_WAIT:
		c->locks[e->more->lock].writer = 0;
		t->wait = f;
		t->missed = f->waker && certify_waker_happened(c, f->waker);
		break;
	case EV_WOKEN: c->locks[e->more->lock].writer = e->thread + 1; break;
	case EV_BARRIER_ENTER: {
		struct barrier_state *b = &c->barriers[e->object];

		b->round = f->round;
		vec_push(&b->entered, e->thread);
		if (b->entered.n == c->symbols->barriers.at[e->object].parties)
			b->entered.n = 0;
		break;
	}
	case EV_SEM_POST: c->semaphores[e->object]++; break;
	case EV_SEM_WAIT: c->semaphores[e->object]--; break;
	case EV_ONCE_BEGIN: c->onces[e->object].begun = e->thread + 1; break;
	case EV_ONCE_END: c->onces[e->object].done = true; break;
	default: break; /* no effect */
	}
}

static void take(struct certifier *c, const struct fact *f)
{
	certify_take_recorded(c, f);
	if (event_is(&f->event, EV_ACCESS))
		certify_take_access(c, f);
	else if (f->event.kind == EV_BRANCH)
		take_branch(c, f);
}

int certify_run(struct certifier *c, const uint64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct fact *f = facts_find(&c->facts, numbers[i]);

		if (!f)
			return certify_reject(c, "there is no event %llu in the trace",
					      (unsigned long long)numbers[i]);
		if (has_happened(c, f))
			return certify_reject(c, "event %llu happens twice",
					      (unsigned long long)f->number);
		if (!certify_can_happen(c, f))
			return 0;
		take(c, f);
		if (c->witness->model == MODEL_SAID && change_of(c, f))
			return CANNOT(c, f, "%s", "in model said, every read keeps its value");
	}
	return 1;
}
