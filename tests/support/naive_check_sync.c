/* SPDX-License-Identifier: MIT */
#include "tests/support/naive_check_parts.h"

#include <string.h>

static bool held_shared(const struct lock *l, int but)
{
	for (int i = 0; i < NAMES_MAX; i++)
		if (i != but && l->shared[i])
			return true;
	return false;
}

static void take_lock(struct naive_state *s, int l)
{
	if (s->locks[l].owner != NONE || held_shared(&s->locks[l], NONE))
		naive_set_why(s, "the lock is taken");
	s->locks[l].owner = s->thread;
}

static void drop_lock(struct naive_state *s, int l)
{
	if (s->locks[l].owner != s->thread)
		naive_set_why(s, "the thread does not hold the lock");
	s->locks[l].owner = NONE;
}

void naive_step_lock(struct naive_state *s, const char *op)
{
	int l = naive_next_name(s, LOCK);
	struct lock *lock = &s->locks[l];

	if (!strcmp(op, "acquire")) {
		take_lock(s, l);
	} else if (!strcmp(op, "release")) {
		drop_lock(s, l);
	} else if (!strcmp(op, "acquire-shared")) {
		if (lock->owner != NONE)
			naive_set_why(s, "a writer holds the lock");
		lock->shared[s->thread]++;
	} else if (!strcmp(op, "release-shared")) {
		if (!lock->shared[s->thread])
			naive_set_why(s, "the thread does not hold the lock shared");
		else
			lock->shared[s->thread]--;
	} else if ((lock->owner == NONE || lock->owner == s->thread) &&
		   !held_shared(lock, s->thread)) {
		naive_set_why(s, "no other thread holds the lock"); /* try-fail */
	}
	naive_check_annotations(s, NULL, false);
}

void naive_step_wait(struct naive_state *s)
{
	s->t->condition = s->past[s->number].object = naive_next_name(s, CONDITION);
	s->t->lock = naive_next_name(s, LOCK);
	drop_lock(s, s->t->lock);
	s->t->waiting = true;
	s->t->wait = s->number;
	naive_check_annotations(s, NULL, false);
}

void naive_step_woken(struct naive_state *s)
{
	int c = naive_next_name(s, CONDITION), l = naive_next_name(s, LOCK);
	struct past *here = &s->past[s->number];
	const char *by = naive_next_token(s) + 3;

	if (!s->t->waiting || s->t->condition != c || s->t->lock != l)
		naive_set_why(s, "the thread does not wait so");
	take_lock(s, l);
	here->object = c;
	here->wait = s->t->wait;
	here->by = strcmp(by, "-") != 0 ? naive_number_of(by) : 0;
	s->t->waiting = false;
	naive_check_annotations(s, NULL, false);
	if (!here->by && !strcmp(by, "-"))
		return;
	if (!here->by || here->by >= s->number) {
		naive_set_unreadable(s);
		naive_set_why(s, "by= is not earlier");
		return;
	}
	const struct past *p = &s->past[here->by];

	if (here->by < here->wait || p->object != c ||
	    (strcmp(p->op, "signal") != 0 && strcmp(p->op, "broadcast") != 0))
		naive_set_why(s, "by= is no signal on the condition since the wait");
	for (uint64_t i = 1; i < s->number; i++)
		if (!strcmp(s->past[i].op, "woken") && s->past[i].by == here->by &&
		    !strcmp(p->op, "signal"))
			naive_set_why(s, "the signal woke another");
}

void naive_step_barrier(struct naive_state *s, const char *op)
{
	int b = naive_next_name(s, BARRIER);

	if (!s->parties[b]) {
		naive_set_why(s, "the barrier is not declared");
	} else if (!strcmp(op, "barrier-enter")) {
		if (s->t->entered_round[b] != NONE)
			naive_set_why(s, "the thread is inside");
		s->t->entered_round[b] = s->entered[b]++ / s->parties[b];
	} else {
		if (s->t->entered_round[b] == NONE)
			naive_set_why(s, "the thread is not inside");
		else if (s->entered[b] < (s->t->entered_round[b] + 1) * s->parties[b])
			naive_set_why(s, "some have not entered");
		s->t->entered_round[b] = NONE;
	}
	naive_check_annotations(s, NULL, false);
}

void naive_step_semaphore(struct naive_state *s, const char *op)
{
	int64_t *count = &s->semaphores[naive_next_name(s, SEMAPHORE)];

	if (!strcmp(op, "sem-post"))
		++*count;
	else if (!strcmp(op, "sem-fail") ? *count != 0 : *count == 0)
		naive_set_why(s, "the count is %lld", (long long)*count);
	else if (!strcmp(op, "sem-wait"))
		--*count;
	naive_check_annotations(s, NULL, false);
}

void naive_step_once(struct naive_state *s, const char *op)
{
	int o = naive_next_name(s, ONCE);

	if (!strcmp(op, "once-begin")) {
		if (s->once_thread[o] != NONE)
			naive_set_why(s, "it was begun");
		s->once_thread[o] = s->thread;
	} else if (!strcmp(op, "once-end")) {
		if (s->once_thread[o] != s->thread || s->once_done[o])
			naive_set_why(s, "the thread did not begin it");
		s->once_done[o] = true;
	} else if (!s->once_done[o]) {
		naive_set_why(s, "it is not done");
	}
	naive_check_annotations(s, NULL, false);
}

void naive_step_thread(struct naive_state *s, const char *op)
{
	int other = naive_next_name(s, THREAD);
	struct thread *o = &s->threads[other];

	if (!strcmp(op, "fork")) {
		if (other == s->thread || o->forked)
			naive_set_why(s, "the thread was forked or forks itself");
		else if (o->first)
			naive_set_earlier(s, o->first, o->first_line, "the thread is forked later");
		else if (o->first_join)
			naive_set_earlier(s, o->first_join, o->first_join_line,
					  "the thread is forked later");
		o->forked = true;
	} else if (other == s->thread) {
		naive_set_why(s, "a thread joins itself");
	} else if (!o->first_join) {
		o->first_join = s->number;
		o->first_join_line = s->line;
	}
	naive_check_annotations(s, NULL, false);
}
