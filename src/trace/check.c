/* SPDX-License-Identifier: MIT */
#include "trace/check_parts.h"

#include <stdarg.h>
#include <stdio.h>

int check_fail_at(struct check *c, uint64_t number, uint64_t line, const char *what, ...)
{
	char why[400], position[32] = "";
	va_list args;

	va_start(args, what);
	vsnprintf(why, sizeof(why), what, args);
	va_end(args);
	if (line)
		snprintf(position, sizeof(position), ":%llu", (unsigned long long)line);
	c->failed_at = number;
	return err_set(&c->failure, ERR_INPUT, "%.150s%s: event %llu cannot happen: %s", c->name,
		       position, (unsigned long long)number, why);
}

static inline struct check_thread *thread_at(struct check *c, uint32_t t)
{
	vec_extend(&c->threads, (size_t)t + 1);
	return &c->threads.at[t];
}

/* Threads */

/* Reported where the thread starts, not where it is forked: that is the event out of place. */
static int fail_early_start(struct check *c, uint32_t thread, uint64_t fork)
{
	const struct check_thread *t = &c->threads.at[thread];

	return check_fail_at(c, t->first_event, t->first_line, "%s is forked later, by event %llu",
			     name_of(c, CLASS_THREAD, thread), (unsigned long long)fork);
}

static int fail_late_event(struct check *c, uint32_t thread, uint64_t event)
{
	const struct check_thread *t = &c->threads.at[thread];

	return check_fail_at(c, t->joined_by, t->join_line,
			     "%s, which it joins, continues with event %llu",
			     name_of(c, CLASS_THREAD, thread), (unsigned long long)event);
}

static int fail_early_join(struct check *c, uint32_t thread, uint64_t fork)
{
	const struct check_thread *t = &c->threads.at[thread];

	return check_fail_at(c, t->joined_by, t->join_line,
			     "%s, which it joins, is forked later, by "
			     "event %llu",
			     name_of(c, CLASS_THREAD, thread), (unsigned long long)fork);
}

static int check_fork(const struct here *h)
{
	struct check_thread *child = thread_at(h->c, h->e->object);

	if (h->e->object == h->e->thread)
		return fail(h, "%s forks itself", THREAD(h));
	if (child->forked_by)
		return fail(h, "%s was forked by event %llu", OBJECT(h),
			    (unsigned long long)child->forked_by);
	if (child->first_event)
		return fail_early_start(h->c, h->e->object, h->number);
	if (child->joined_by)
		return fail_early_join(h->c, h->e->object, h->number);
	child->forked_by = h->number;
	return 0;
}

static int check_join(const struct here *h)
{
	struct check_thread *child = thread_at(h->c, h->e->object);

	if (h->e->object == h->e->thread)
		return fail(h, "%s joins itself", THREAD(h));
	if (!child->joined_by) {
		child->joined_by = h->number;
		child->join_line = h->line;
	}
	return 0;
}

/* All */

/* What holds of a thread before its next event, whatever that is. */
static int check_thread_goes_on(const struct here *h, struct check_thread *t)
{
	if (t->joined_by)
		return fail_late_event(h->c, h->e->thread, h->number);
	if (t->ended)
		return fail(h, "%s has ended", THREAD(h));
	if (t->waiting && h->e->kind != EV_WOKEN)
		return fail(h, "%s waits on %s", THREAD(h),
			    name_of(h->c, CLASS_CONDITION, t->condition));
	if (h->e->kind == EV_BEGIN && t->first_event)
		return fail(h, "it is not the first event of %s", THREAD(h));
	if (!t->first_event) {
		t->first_event = h->number;
		t->first_line = h->line;
	}
	return 0;
}

static int check_event(const struct here *h)
{
	const struct event *e = h->e;
	struct check_thread *t = thread_at(h->c, e->thread);
	int code = 0;

	if (__builtin_expect(t->joined_by || t->ended || t->waiting || !t->first_event ||
				     e->kind == EV_BEGIN,
			     0))
		code = check_thread_goes_on(h, t);
	if (code)
		return code;
	/* an rmw may depend on itself, and all else on what came before */
	if (e->kind == EV_RMW || e->kind == EV_READ)
		check_note_read(h->c, h);
	if (e->more && (code = check_dependences(h)))
		return code;
	if ((t->scopes.n || event_scope(e)) && (code = check_scopes(h, t)))
		return code;
	t->events++;
	switch ((enum event_kind)e->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_ALLOC:
	case EV_FREE:
	case EV_EXTERNAL: return check_access(h);
	case EV_ACQUIRE: return check_take_lock(h, e->object);
	case EV_RELEASE: return check_drop_lock(h, e->object);
	case EV_ACQUIRE_SHARED: return check_take_shared(h);
	case EV_RELEASE_SHARED: return check_drop_shared(h);
	case EV_TRY_FAIL: return check_try_fail(h);
	case EV_FORK: return check_fork(h);
	case EV_JOIN: return check_join(h);
	case EV_END: t->ended = true; return 0;
	case EV_WAIT: return check_wait(h);
	case EV_WOKEN: return check_woken(h);
	case EV_SIGNAL:
	case EV_BROADCAST: return check_signal(h);
	case EV_BARRIER_ENTER:
	case EV_BARRIER_EXIT: return check_barrier(h);
	case EV_SEM_POST:
	case EV_SEM_WAIT:
	case EV_SEM_FAIL: return check_semaphore(h);
	case EV_ONCE_BEGIN:
	case EV_ONCE_END:
	case EV_ONCE_PASS: return check_once(h);
	case EV_BEGIN:
	case EV_BRANCH:
	case EV_MARK: return 0;
	case EV_COUNT: break;
	}
	BUG("not an event");
}

/* After a failure: only forks and joins can still show that an earlier event is out of place. */
static void look_for_earlier(struct check *c, const struct event *e, uint64_t number)
{
	const struct check_thread *t = thread_at(c, e->thread);

	if (t->joined_by && t->joined_by < c->failed_at)
		fail_late_event(c, e->thread, number);
	if (e->kind != EV_FORK || e->object == e->thread)
		return;
	t = thread_at(c, e->object);
	if (t->joined_by && t->joined_by < c->failed_at && !t->forked_by)
		fail_early_join(c, e->object, number);
	if (t->first_event && t->first_event < c->failed_at && !t->forked_by)
		fail_early_start(c, e->object, number);
}

struct check *check_new(const struct reader *r)
{
	struct check *c = mem_alloc_zero(1, sizeof(*c));

	c->symbols = reader_symbols(r);
	c->name = reader_name(r);
	c->reads = reads_new();
	return c;
}

void check_batch(struct check *c, const struct batch *batch)
{
	struct here h = {.c = c};

	for (size_t i = 0; i < batch->n; i++) {
		h.e = &batch->at[i];
		h.number = batch->first + i;
		h.line = batch->lines ? batch->lines[i] : 0;
		if (!c->failed_at)
			check_event(&h);
		if (c->failed_at)
			look_for_earlier(c, h.e, h.number);
	}
}

bool check_has_failed(const struct check *c)
{
	return c->failed_at;
}

int check_finish(struct check *c, struct err *err)
{
	bool fine = !c->failed_at;

	for (size_t i = 0; fine && i < c->conditions.n; i++) { /* nobody else will be woken */
		c->conditions.at[i].waiters.n = 0;
		check_forget_signals(c, &c->conditions.at[i]);
	}
	if (!c->failed_at)
		return 0;
	*err = c->failure;
	return err->code;
}

void check_free(struct check *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->threads.n; i++) {
		vec_release(&c->threads.at[i].barriers);
		vec_release(&c->threads.at[i].scopes);
		vec_release(&c->threads.at[i].arm_holds);
	}
	for (size_t i = 0; i < c->locks.n; i++)
		vec_release(&c->locks.at[i].readers);
	for (size_t i = 0; i < c->conditions.n; i++) {
		vec_release(&c->conditions.at[i].waiters);
		vec_release(&c->conditions.at[i].signals);
	}
	vec_release(&c->threads);
	vec_release(&c->cells);
	vec_release(&c->locks);
	vec_release(&c->conditions);
	vec_release(&c->entered);
	vec_release(&c->semaphores);
	vec_release(&c->onces);
	reads_free(c->reads);
	mem_free(c);
}

int check_reader(struct reader *r, uint64_t *events, struct err *err)
{
	struct check *c = check_new(r);
	struct batch batch;
	int got;

	*events = 0;
	while ((got = reader_next(r, &batch, err)) > 0) {
		check_batch(c, &batch);
		*events += batch.n;
	}
	/* what comes first in the trace is said first */
	if (!got || c->failed_at)
		got = check_finish(c, err);
	check_free(c);
	return got;
}
