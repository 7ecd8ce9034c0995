/* SPDX-License-Identifier: MIT */
/* The end of a run: is it the bug that the witness names? */
#include "trace/expr.h"
#include "witness/certify_parts.h"

/* The event as the next one of its thread, or NULL with the reason in err. */
static const struct fact *next_of(struct certifier *c, uint64_t number)
{
	const struct fact *f = facts_find(&c->facts, number);

	if (f && f->position == state_of(c, f)->done + 1)
		return f;
	certify_reject(c, "event %llu is not the next one of its thread",
		       (unsigned long long)number);
	return NULL;
}

static bool is_atomic(const struct certifier *c, const struct event *e, uint32_t variable)
{
	return e->kind != EV_FREE &&
	       (e->kind == EV_RMW || e->order ||
		symbols_variable(c->symbols, variable)->flags & VARIABLE_VOLATILE);
}

static bool races(const struct certifier *c, const struct event *a, const struct event *b)
{
	if (a->thread == b->thread || !(event_is(a, EV_STORES) || event_is(b, EV_STORES)) ||
	    a->kind == EV_EXTERNAL || b->kind == EV_EXTERNAL || a->kind == EV_ALLOC ||
	    b->kind == EV_ALLOC || a->order == ORDER_WATCH || b->order == ORDER_WATCH)
		return false;
	for (uint32_t i = 0; i < event_part_count(a); i++)
		for (uint32_t k = 0; k < event_part_count(b); k++) {
			uint32_t x = event_part(a, i).variable;

			if (x == event_part(b, k).variable &&
			    !(is_atomic(c, a, x) && is_atomic(c, b, x)))
				return true;
		}
	return false;
}

static int judge_race(struct certifier *c)
{
	const uint64_t *pair = c->witness->bug_events.at;
	const struct fact *a = next_of(c, pair[0]);
	const struct fact *b = a ? next_of(c, pair[1]) : NULL;

	if (!b || !certify_can_happen(c, a) || !certify_can_happen(c, b))
		return 0;
	if (!races(c, &a->event, &b->event))
		return certify_reject(c, "events %llu and %llu do not conflict",
				      (unsigned long long)pair[0], (unsigned long long)pair[1]);
	return 1;
}

/* Does the thread of `f` stand at a lock that `holder` has? */
static bool waits_for(struct certifier *c, const struct fact *f, uint32_t holder)
{
	const struct event *e = &f->event;
	const struct thread_state *t = state_of(c, f);
	uint32_t lock;
	bool shared;

	if (!event_blocks(e) || !certify_takes_lock(e, &lock, &shared) || t->stopped ||
	    (thread_of(c, f)->fork && !t->forked) ||
	    (e->kind == EV_WOKEN && !certify_waker_happened(c, e->more->by)) ||
	    (e->more && certify_any_changed(c, f, e->more->at, e->more->at_count)))
		return false;
	struct lock_state *l = &c->locks[lock];

	return l->writer == holder + 1 || (!shared && certify_hold_of(l, holder));
}

static int judge_deadlock(struct certifier *c)
{
	size_t n = c->witness->bug_events.n;
	const uint64_t *numbers = c->witness->bug_events.at;

	for (size_t i = 0; i < n; i++) {
		const struct fact *f = next_of(c, numbers[i]);
		const struct fact *g = f ? next_of(c, numbers[(i + 1) % n]) : NULL;

		if (!g)
			return 0;
		for (size_t k = 0; k < i; k++)
			if (numbers[k] == numbers[i])
				return certify_reject(c, "event %llu is named twice",
						      (unsigned long long)numbers[i]);
		if (f->event.thread == g->event.thread || !waits_for(c, f, g->event.thread))
			return certify_reject(
				c, "event %llu does not wait for what the thread of %llu holds",
				(unsigned long long)f->number, (unsigned long long)g->number);
	}
	return 1;
}

/* Would the real call block here, whatever happens elsewhere? */
static bool blocks(struct certifier *c, const struct fact *f)
{
	if (!event_blocks(&f->event))
		return false;
	switch ((enum event_kind)f->event.kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED:
	case EV_WOKEN:
	case EV_BARRIER_EXIT:
	case EV_SEM_WAIT: break;
	case EV_JOIN:
		if (c->facts.threads.at[f->event.object].fork &&
		    !c->threads[f->event.object].forked)
			return false; /* there is nothing to join yet */
		break;
	case EV_ONCE_PASS:
		if (!c->onces[f->event.object].begun)
			return false; /* it would run the function itself */
		break;
	default: return false;
	}
	if (state_of(c, f)->stopped ||
	    (f->event.more &&
	     certify_any_changed(c, f, f->event.more->at, f->event.more->at_count)))
		return false;
	return !certify_can_happen(c, f);
}

/* The next event of each thread, NULL if it has none; the caller frees the list. */
static const struct fact **find_next(const struct certifier *c)
{
	const struct fact **next = mem_alloc_zero(c->facts.threads.n + 1, sizeof(*next));

	for (size_t i = 0; i < c->facts.all.n; i++) {
		const struct fact *f = &c->facts.all.at[i];

		if (f->position == state_of(c, f)->done + 1)
			next[f->event.thread] = f;
	}
	return next;
}

/* Threads that are there and have not ended all wait, and there is one. */
static int all_wait(struct certifier *c, const struct fact *const *next)
{
	bool waits = false;

	for (uint32_t i = 0; i < c->facts.threads.n; i++) {
		const struct fact_thread *t = &c->facts.threads.at[i];

		if (c->threads[i].ended || (t->fork ? !c->threads[i].forked : !t->events))
			continue; /* it has ended or does not exist */
		if (!next[i])
			return certify_reject(c, "what %s does next is not recorded",
					      name_of(c, CLASS_THREAD, i));
		if (!blocks(c, next[i]))
			return certify_reject(c, "%s does not wait at event %llu",
					      name_of(c, CLASS_THREAD, i),
					      (unsigned long long)next[i]->number);
		waits = true;
	}
	return waits ? 1 : certify_reject(c, "every thread has ended");
}

int certify_all_wait(struct certifier *c)
{
	const struct fact **next = find_next(c);
	int good = all_wait(c, next);

	mem_free(next);
	return good;
}

static int judge_stuck(struct certifier *c)
{
	const struct witness *w = c->witness;

	for (size_t i = 0; i < w->bug_events.n; i++) {
		const struct fact *f = next_of(c, w->bug_events.at[i]);

		if (!f)
			return 0;
		if (thread_of(c, f)->fork && !state_of(c, f)->forked)
			return certify_reject(c, "the thread of event %llu does not exist yet",
					      (unsigned long long)f->number);
	}
	return certify_all_wait(c);
}

static int judge_refusal(struct certifier *c)
{
	return certify_all_wait(c) && certify_breaks(c, true);
}

static int judge_property(struct certifier *c)
{
	const struct witness *w = c->witness;
	size_t marks = 0;

	if (w->script)
		return certify_breaks(c, false);

	for (size_t i = 0; i < witness_length(w); i++) {
		if (facts_find(&c->facts, witness_event(w, i))->event.kind != EV_MARK)
			continue;
		if (marks == w->bug_events.n || w->bug_events.at[marks] != witness_event(w, i))
			return certify_reject(
				c, "mark %llu of the run is not in the list at its place",
				(unsigned long long)witness_event(w, i));
		marks++;
	}
	return marks == w->bug_events.n
		       ? 1
		       : certify_reject(c, "mark %llu does not happen in the run",
					(unsigned long long)w->bug_events.at[marks]);
}

/* It tries, and is told at once whether it can; or it goes first, and does what is done once. */
static bool is_tried(struct certifier *c, const struct event *e)
{
	return (e->kind == EV_ONCE_PASS && !c->onces[e->object].begun) || e->kind == EV_TRY_FAIL ||
	       e->kind == EV_SEM_FAIL ||
	       ((e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED || e->kind == EV_SEM_WAIT) &&
		e->order == EVENT_TRIES);
}

/* A wait for a condition whose time limit is over, since what woke it has not come. */
static bool times_out(struct certifier *c, const struct event *e)
{
	return e->kind == EV_WOKEN && e->more->by && e->order == EVENT_TRIES &&
	       !certify_waker_happened(c, e->more->by);
}

static bool did_wake(const struct fact *signal, uint32_t thread, const struct fact *wait)
{
	for (const struct woken_thread *w = signal->wakes; w; w = w->next)
		if (w->thread == thread && w->position == wait->position + 1)
			return true;
	return false;
}

/* The trace says so, although the thread did not go on: it was at its last event. */
static bool did_wake_last(struct certifier *c, const struct fact *signal, uint32_t thread)
{
	uint64_t by;

	return symbols_woken(c->symbols, thread, &by) && by == signal->number;
}

/* A signal or broadcast: whom it woke does not sleep, or another thread does. */
static bool wakes_others(struct certifier *c, const struct fact *f)
{
	if (f->event.kind != EV_SIGNAL && f->event.kind != EV_BROADCAST)
		return false;
	for (const struct woken_thread *w = f->wakes; w; w = w->next)
		if (c->threads[w->thread].done + 1 != w->position)
			return true;
	for (uint32_t t = 0; t < c->facts.threads.n; t++) {
		const struct fact *wait = c->threads[t].wait;
		bool last = did_wake_last(c, f, t);

		if (last && c->threads[t].done != c->facts.threads.at[t].events)
			return true;
		if (wait && wait->event.object == f->event.object &&
		    c->threads[t].done == wait->position && !last && !did_wake(f, t, wait) &&
		    !(wait->waker && certify_waker_happened(c, wait->waker)))
			return true;
	}
	return false;
}

/* Has a read changed on which the event depends, itself apart? It has not happened. */
static bool earlier_changed(struct certifier *c, const struct fact *f)
{
	const struct event_more *more = f->event.more;

	for (uint32_t i = 0; more && more->expr && i < more->expr->count; i++)
		if (more->expr->nodes[i].op == OP_READ && more->expr->nodes[i].value != f->number &&
		    certify_any_changed(c, f, &more->expr->nodes[i].value, 1))
			return true;
	for (uint32_t i = 0; more && more->reads_given && i < more->read_count; i++)
		if (more->reads[i] != f->number && certify_any_changed(c, f, &more->reads[i], 1))
			return true;
	return !(more && (more->expr || more->reads_given)) && state_of(c, f)->changed;
}

/*
 * Its thread comes to the event, and it is not as recorded: a branch whose guard is 0, an event
 * that depends on what was read, a call that would end otherwise.
 */
static int judge_other_way(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	bool moved = e->more && certify_any_changed(c, f, e->more->at, e->more->at_count);
	int64_t value;

	if (state_of(c, f)->stopped || (thread_of(c, f)->fork && !state_of(c, f)->forked))
		return certify_reject(c, "the thread of event %llu cannot come to it",
				      (unsigned long long)f->number);
	if (moved || (is_tried(c, e) && !certify_can_happen(c, f)) || times_out(c, e) ||
	    wakes_others(c, f))
		return 1;
	if (event_is(e, EV_DEPENDS) && earlier_changed(c, f) &&
	    (e->kind != EV_BRANCH || !certify_evaluate(c, f, &value) || !value))
		return 1;
	return certify_reject(c, "event %llu is as recorded", (unsigned long long)f->number);
}

/* The thread has come so far, and no further: it read something else, or is at its last event. */
static int judge_last(struct certifier *c, const struct fact *f)
{
	unsigned long long number = f->number;

	if (f->event.kind == EV_FORK && has_happened(c, f) &&
	    !c->facts.threads.at[f->event.object].events)
		return 1; /* the new thread may begin */
	if (f->position != state_of(c, f)->done)
		return certify_reject(c, "event %llu is not the last of its thread in the run",
				      number);
	if (event_is(&f->event, EV_RETURNS) && (change_of(c, f) || state_of(c, f)->other_source))
		return 1;
	return f->position == thread_of(c, f)->events && f->event.kind != EV_END
		       ? 1
		       : certify_reject(c, "event %llu is no choice", number);
}

static int judge_choice(struct certifier *c)
{
	uint64_t number = c->witness->bug_events.at[0];
	const struct fact *f = facts_find(&c->facts, number);

	if (!f)
		return certify_reject(c, "there is no event %llu", (unsigned long long)number);
	return f->position == state_of(c, f)->done + 1 ? judge_other_way(c, f) : judge_last(c, f);
}

/* An assertion that is broken by where the run ends, as stuck states are. */
static const struct certify_bug refusal = {.judge = judge_refusal, .early = true};

static const struct certify_bug bugs[] = {
	[BUG_RACE] = {.judge = judge_race, .adjacent = true},
	[BUG_DEADLOCK] = {.judge = judge_deadlock},
	[BUG_STUCK] = {.judge = judge_stuck, .early = true},
	[BUG_PROPERTY] = {.judge = judge_property, .other = &refusal},
	[BUG_ATOMICITY] = {.judge = certify_violates},
	[BUG_CHOICE] = {.judge = judge_choice},
};
BUG_ROWS_ARE_ALL(bugs);

const struct certify_bug *certify_bug(enum bug_kind bug)
{
	ASSERT(bug < BUG_COUNT);
	return &bugs[bug];
}
