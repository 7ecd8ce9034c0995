/* SPDX-License-Identifier: MIT */
/* Locks, conditions, barriers, semaphores and once. */
#include "trace/check_parts.h"

/* Locks */

static struct check_lock *lock_at(struct check *c, uint32_t lock)
{
	vec_extend(&c->locks, (size_t)lock + 1);
	return &c->locks.at[lock];
}

static struct shared_hold *find_hold(struct check_lock *l, uint32_t thread)
{
	for (size_t i = 0; i < l->readers.n; i++)
		if (l->readers.at[i].thread == thread)
			return &l->readers.at[i];
	return NULL;
}

int check_take_lock(const struct here *h, uint32_t lock)
{
	struct check_lock *l = lock_at(h->c, lock);

	if (l->writer)
		return fail(h, "%s holds %s", name_of(h->c, CLASS_THREAD, l->writer - 1),
			    name_of(h->c, CLASS_LOCK, lock));
	if (l->readers.n)
		return fail(h, "%s holds %s shared",
			    name_of(h->c, CLASS_THREAD, l->readers.at[0].thread),
			    name_of(h->c, CLASS_LOCK, lock));
	l->writer = h->e->thread + 1;
	return 0;
}

int check_drop_lock(const struct here *h, uint32_t lock)
{
	struct check_lock *l = lock_at(h->c, lock);

	if (l->writer != h->e->thread + 1)
		return fail(h, "%s does not hold %s", THREAD(h), name_of(h->c, CLASS_LOCK, lock));
	l->writer = 0;
	return 0;
}

int check_take_shared(const struct here *h)
{
	struct check_lock *l = lock_at(h->c, h->e->object);
	struct shared_hold *hold = find_hold(l, h->e->thread);

	if (l->writer)
		return fail(h, "%s holds %s", name_of(h->c, CLASS_THREAD, l->writer - 1),
			    OBJECT(h));
	if (hold) {
		hold->count++;
	} else {
		struct shared_hold first = {h->e->thread, 1};

		vec_push(&l->readers, first);
	}
	return 0;
}

int check_drop_shared(const struct here *h)
{
	struct check_lock *l = lock_at(h->c, h->e->object);
	struct shared_hold *hold = find_hold(l, h->e->thread);

	if (!hold)
		return fail(h, "%s does not hold %s shared", THREAD(h), OBJECT(h));
	if (!--hold->count)
		*hold = l->readers.at[--l->readers.n];
	return 0;
}

int check_try_fail(const struct here *h)
{
	struct check_lock *l = lock_at(h->c, h->e->object);
	bool other = l->writer && l->writer != h->e->thread + 1;

	for (size_t i = 0; i < l->readers.n; i++)
		other |= l->readers.at[i].thread != h->e->thread;
	return other ? 0 : fail(h, "no other thread holds %s", OBJECT(h));
}

/* Conditions */

static struct check_condition *condition_at(struct check *c, uint32_t condition)
{
	vec_extend(&c->conditions, (size_t)condition + 1);
	return &c->conditions.at[condition];
}

int check_wait(const struct here *h)
{
	struct check_thread *t = &h->c->threads.at[h->e->thread];
	struct waiter waiter = {h->e->thread, h->number};

	if (check_drop_lock(h, h->e->more->lock) < 0)
		return h->c->failure.code;
	t->waiting = true;
	t->condition = h->e->object;
	t->lock = h->e->more->lock;
	t->wait_event = h->number;
	vec_push(&condition_at(h->c, h->e->object)->waiters, waiter);
	return 0;
}

int check_signal(const struct here *h)
{
	struct check_condition *condition = condition_at(h->c, h->e->object);
	struct signal signal = {
		.event = h->number, .line = h->line, .broadcast = h->e->kind == EV_BROADCAST};

	if (condition->waiters.n) /* else it wakes nobody, and nobody can name it */
		vec_push(&condition->signals, signal);
	return 0;
}

static int fail_signal(struct check *c, const struct signal *s)
{
	if (c->failed_at && c->failed_at < s->event)
		return c->failure.code;
	return check_fail_at(c, s->event, s->line,
			     "it does not wake the thread of event %llu, which sleeps",
			     (unsigned long long)s->slept_by);
}

int check_forget_signals(struct check *c, struct check_condition *condition)
{
	uint64_t oldest = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < condition->waiters.n; i++)
		if (condition->waiters.at[i].wait_event < oldest)
			oldest = condition->waiters.at[i].wait_event;
	for (size_t i = 0; i < condition->signals.n; i++) {
		struct signal *s = &condition->signals.at[i];
		bool done = s->claimed && !s->broadcast;

		if (s->event > oldest && !done)
			condition->signals.at[kept++] = *s;
		else if (s->slept_by && !s->claimed)
			return fail_signal(c, s);
	}
	condition->signals.n = kept;
	return 0;
}

static int claim_signal(const struct here *h, struct check_condition *condition, uint64_t wait)
{
	uint64_t by = h->e->more->by;
	struct signal *found = NULL;

	for (size_t i = 0; i < condition->signals.n; i++) {
		struct signal *s = &condition->signals.at[i];

		if (s->event == by)
			found = s;
		if (s->event <= wait || s->event >= by)
			continue;
		s->slept_by = h->number;
		if (s->broadcast)
			return fail_signal(h->c, s);
	}
	if (!found || by < wait)
		return fail(h, "event %llu is not a free signal on %s after the wait, event %llu",
			    (unsigned long long)by, OBJECT(h), (unsigned long long)wait);
	found->claimed = true;
	return 0;
}

int check_woken(const struct here *h)
{
	struct check_thread *t = &h->c->threads.at[h->e->thread];
	struct check_condition *condition = condition_at(h->c, h->e->object);

	if (!t->waiting || t->condition != h->e->object || t->lock != h->e->more->lock)
		return fail(h, "%s does not wait on %s with %s", THREAD(h), OBJECT(h),
			    name_of(h->c, CLASS_LOCK, h->e->more->lock));
	if (h->e->more->by && claim_signal(h, condition, t->wait_event) < 0)
		return h->c->failure.code;
	if (check_take_lock(h, h->e->more->lock) < 0)
		return h->c->failure.code;
	t->waiting = false;
	for (size_t i = 0; i < condition->waiters.n; i++)
		if (condition->waiters.at[i].thread == h->e->thread) {
			condition->waiters.at[i] = condition->waiters.at[--condition->waiters.n];
			break;
		}
	return check_forget_signals(h->c, condition);
}

/* Barriers, semaphores, once */

static struct entered *find_entered(struct check_thread *t, uint32_t barrier)
{
	for (size_t i = 0; i < t->barriers.n; i++)
		if (t->barriers.at[i].barrier == barrier)
			return &t->barriers.at[i];
	return NULL;
}

int check_barrier(const struct here *h)
{
	struct check_thread *t = &h->c->threads.at[h->e->thread];
	struct entered *entered = find_entered(t, h->e->object);
	uint64_t parties = h->c->symbols->barriers.at[h->e->object].parties;

	if (!parties)
		return fail(h, "%s has no 'barrier' declaration, which says its parties",
			    OBJECT(h));
	vec_extend(&h->c->entered, (size_t)h->e->object + 1);
	uint64_t *count = &h->c->entered.at[h->e->object];

	if (h->e->kind == EV_BARRIER_ENTER) {
		if (entered)
			return fail(h, "%s is already inside %s", THREAD(h), OBJECT(h));
		struct entered now = {h->e->object, *count / parties};

		vec_push(&t->barriers, now);
		++*count;
		return 0;
	}
	if (!entered)
		return fail(h, "%s is not inside %s", THREAD(h), OBJECT(h));
	if (*count < (entered->round + 1) * parties)
		return fail(h, "only %llu of %llu parties have entered %s",
			    (unsigned long long)(*count % parties), (unsigned long long)parties,
			    OBJECT(h));
	*entered = t->barriers.at[--t->barriers.n];
	return 0;
}

int check_semaphore(const struct here *h)
{
	struct check *c = h->c;
	size_t old = c->semaphores.n;

	vec_extend(&c->semaphores, (size_t)h->e->object + 1);
	for (size_t i = old; i < c->semaphores.n; i++)
		c->semaphores.at[i] = c->symbols->semaphores.at[i].count;
	uint64_t *count = &c->semaphores.at[h->e->object];

	if (h->e->kind == EV_SEM_POST)
		++*count;
	else if (h->e->kind == EV_SEM_WAIT && !*count)
		return fail(h, "%s is 0", OBJECT(h));
	else if (h->e->kind == EV_SEM_WAIT)
		--*count;
	else if (*count)
		return fail(h, "%s is %llu, not 0", OBJECT(h), (unsigned long long)*count);
	return 0;
}

int check_once(const struct here *h)
{
	vec_extend(&h->c->onces, (size_t)h->e->object + 1);
	struct check_once *once = &h->c->onces.at[h->e->object];

	if (h->e->kind == EV_ONCE_BEGIN && once->state != ONCE_NEW)
		return fail(h, "%s has begun before", OBJECT(h));
	if (h->e->kind == EV_ONCE_END &&
	    (once->state != ONCE_RUNNING || once->thread != h->e->thread))
		return fail(h, "%s is not in %s", THREAD(h), OBJECT(h));
	if (h->e->kind == EV_ONCE_PASS && once->state != ONCE_DONE)
		return fail(h, "%s is not done", OBJECT(h));
	if (h->e->kind == EV_ONCE_BEGIN)
		*once = (struct check_once){ONCE_RUNNING, h->e->thread};
	if (h->e->kind == EV_ONCE_END)
		once->state = ONCE_DONE;
	return 0;
}
