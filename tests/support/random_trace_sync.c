/* SPDX-License-Identifier: MIT */
/* Locks, conditions, barriers, semaphores and onces of a random trace. */
#include "tests/support/random_trace_parts.h"

int random_others_running(const struct world *w, const struct thread *t)
{
	int n = 0;

	for (int i = 0; i < (int)w->knobs.threads; i++) {
		const struct thread *o = &w->threads[i];

		n += o != t && !o->finished && (!o->needs_fork || o->forked) && o->barrier < 0 &&
		     (!o->waiting || o->spurious || o->by);
	}
	return n;
}

static bool held_shared(const struct lock *lock, int but_thread)
{
	for (int i = 0; i < RANDOM_THREADS_MAX; i++)
		if (i != but_thread && lock->shared[i])
			return true;
	return false;
}

static bool is_free(const struct lock *lock)
{
	return lock->owner < 0 && !held_shared(lock, -1);
}

bool random_step_acquire(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks);

	if (!is_free(&w->locks[l]))
		return false;
	w->locks[l].owner = thread_number(w, t);
	random_print_simple(w, t, "acquire", 'l', l);
	return true;
}

bool random_step_release(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks);

	if (w->locks[l].owner != thread_number(w, t))
		return false;
	w->locks[l].owner = -1;
	random_print_simple(w, t, "release", 'l', l);
	return true;
}

bool random_step_acquire_shared(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks);

	if (w->locks[l].owner >= 0)
		return false;
	w->locks[l].shared[thread_number(w, t)]++;
	random_print_simple(w, t, "acquire-shared", 'l', l);
	return true;
}

bool random_step_release_shared(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks);

	if (!w->locks[l].shared[thread_number(w, t)])
		return false;
	w->locks[l].shared[thread_number(w, t)]--;
	random_print_simple(w, t, "release-shared", 'l', l);
	return true;
}

bool random_step_try_fail(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks), self = thread_number(w, t);
	const struct lock *lock = &w->locks[l];

	if ((lock->owner < 0 || lock->owner == self) && !held_shared(lock, self))
		return false;
	random_print_simple(w, t, "try-fail", 'l', l);
	return true;
}

bool random_step_wait(struct world *w, struct thread *t)
{
	int l = below(w, (int)w->knobs.locks);

	if (w->locks[l].owner != thread_number(w, t))
		return false;
	w->locks[l].owner = -1;
	t->waiting = true;
	t->passed_over = false;
	t->spurious = percent(w, 25) || (!random_others_running(w, t) && percent(w, 90));
	t->condition = below(w, OTHERS);
	t->lock = l;
	t->by = 0;
	random_print_op(w, t, "wait");
	random_print_named(w, 'c', t->condition);
	random_print_named(w, 'l', l);
	random_print_rest(w, t);
	t->wait = w->events;
	return true;
}

/* May a signal or broadcast still wake it? A spurious one only if it has seen none so far. */
static bool can_be_woken(const struct thread *t, int condition)
{
	return t->waiting && t->condition == condition && !t->by &&
	       !(t->spurious && t->passed_over);
}

static bool sleeps(const struct thread *t, int condition)
{
	return t->waiting && t->condition == condition && !t->by && !t->spurious;
}

bool random_step_signal(struct world *w, struct thread *t)
{
	int c = below(w, OTHERS), choice = -1, candidates = 0;
	bool somebody = percent(w, 30);

	if (w->chosen_count == SIGNALS_MAX)
		return false;
	for (int i = 0; i < (int)w->knobs.threads; i++)
		somebody = somebody || sleeps(&w->threads[i], c);
	for (int i = 0; somebody && i < (int)w->knobs.threads; i++)
		if (can_be_woken(&w->threads[i], c) && below(w, ++candidates) == 0)
			choice = i;
	random_print_simple(w, t, "signal", 'c', c);
	if (choice >= 0) {
		w->threads[choice].by = w->events;
		w->threads[choice].spurious = false;
		w->chosen[w->chosen_count++] = (struct chosen){w->events, c, choice, false};
		return true;
	}
	for (int i = 0; i < (int)w->knobs.threads; i++)
		if (w->threads[i].condition == c)
			w->threads[i].passed_over = true;
	return true;
}

bool random_step_broadcast(struct world *w, struct thread *t)
{
	int c = below(w, OTHERS);

	random_print_simple(w, t, "broadcast", 'c', c);
	for (int i = 0; i < (int)w->knobs.threads; i++) {
		struct thread *other = &w->threads[i];

		if (can_be_woken(other, c) && (!other->spurious || percent(w, 50))) {
			other->by = w->events;
			other->spurious = false;
		} else if (other->condition == c) {
			other->passed_over = true;
		}
	}
	return true;
}

/*
 * Would this `woken` show that the thread slept while a signal happened whose own thread is
 * not seen to wake? The signal should then have woken this one.
 */
static bool wakes_too_early(const struct world *w, const struct thread *t)
{
	for (size_t i = 0; i < w->chosen_count; i++) {
		const struct chosen *s = &w->chosen[i];

		if (s->condition == t->condition && !s->printed && t->wait < s->event &&
		    s->event < t->by)
			return true;
	}
	return false;
}

bool random_step_woken(struct world *w, struct thread *t)
{
	struct lock *lock = &w->locks[t->lock];

	if (!is_free(lock) || (!t->by && !t->spurious) || wakes_too_early(w, t))
		return false;
	lock->owner = thread_number(w, t);
	t->waiting = false;
	random_print_op(w, t, "woken");
	random_print_named(w, 'c', t->condition);
	random_print_named(w, 'l', t->lock);
	if (t->by)
		fprintf(w->out, " by=%llu", (unsigned long long)t->by);
	else
		fputs(" by=-", w->out);
	random_print_rest(w, t);
	for (size_t i = 0; i < w->chosen_count; i++)
		if (w->chosen[i].event == t->by)
			w->chosen[i].printed = true;
	return true;
}

bool random_step_barrier_enter(struct world *w, struct thread *t)
{
	int b = below(w, OTHERS);

	if (random_others_running(w, t) < w->parties[b] - w->entered[b] - 1 && percent(w, 95))
		return false;
	random_declare_barrier(w, b);
	t->barrier = b;
	t->round = w->round[b];
	if (++w->entered[b] == w->parties[b]) {
		w->entered[b] = 0;
		w->round[b]++;
	}
	random_print_simple(w, t, "barrier-enter", 'b', b);
	return true;
}

bool random_step_barrier_exit(struct world *w, struct thread *t)
{
	int b = t->barrier;

	if (w->round[b] == t->round)
		return false;
	t->barrier = -1;
	random_print_simple(w, t, "barrier-exit", 'b', b);
	return true;
}

bool random_step_semaphore(struct world *w, struct thread *t)
{
	int s = below(w, OTHERS);
	bool post = percent(w, 40);

	random_declare_semaphore(w, s);
	if (post) {
		w->count[s]++;
		random_print_simple(w, t, "sem-post", 's', s);
	} else if (w->count[s]) {
		w->count[s]--;
		random_print_simple(w, t, "sem-wait", 's', s);
	} else {
		random_print_simple(w, t, "sem-fail", 's', s);
	}
	return true;
}

bool random_step_once(struct world *w, struct thread *t)
{
	int o = below(w, OTHERS), self = thread_number(w, t);

	if (w->once_thread[o] < 0) {
		w->once_thread[o] = self;
		random_print_simple(w, t, "once-begin", 'o', o);
	} else if (w->once_done[o]) {
		random_print_simple(w, t, "once-pass", 'o', o);
	} else if (w->once_thread[o] == self) {
		w->once_done[o] = true;
		random_print_simple(w, t, "once-end", 'o', o);
	} else {
		return false;
	}
	return true;
}
