/* SPDX-License-Identifier: MIT */
#include "replay/plan_parts.h"

static struct made_thread *thread_before(struct maker *m, uint64_t event)
{
	for (size_t i = 0; i < m->threads.n; i++)
		if (m->threads.at[i].stands && m->threads.at[i].next_event == event)
			return &m->threads.at[i];
	return NULL;
}

/* Whether `before` belongs to the copy, or to the call of a library function, that `stop` is in. */
static bool is_same_operation(const struct made_step *before, const struct made_step *stop)
{
	return plan_is_access(before) && before->location == stop->location &&
	       before->step.step + 1 >= stop->step.step;
}

/* Pieces of one range follow each other in one object, from its start or from its end. */
static bool goes_before(const struct made_step *piece, const struct made_step *next, int *direction)
{
	int here = piece->address < next->address ? 1 : -1;

	if (!piece->address || piece->address == next->address || piece->base != next->base ||
	    (*direction && here != *direction))
		return false;
	*direction = here;
	return true;
}

/* A function that compares reads both of its ranges in one step, which may be the same one. */
static bool is_read_beside(const struct made_step *s, const struct made_step *stop)
{
	return s->step.loose && s->step.kind == LOG_READ && s->step.step == stop->step.step;
}

/*
 * A stop inside a range of several pieces: into how many it falls depends on addresses, and the
 * runtime looks for the place by what is accessed. So none of the pieces, nor what comes behind the
 * first of them, is in the plan: the thread stands before all of it.
 */
static void widen_stop(struct maker *m, const struct made_thread *t)
{
	const struct made_step *stop = &t->next, *next = stop;
	size_t first = m->run.n;
	int direction = 0;

	if (!stop->step.loose || !plan_is_access(stop) || !stop->location)
		return;
	for (size_t i = m->run.n; i-- > 0;) {
		const struct made_step *s = &m->run.at[i];

		if (s->step.thread != t->number || !s->is_step)
			continue;
		if (!is_same_operation(s, stop))
			break;
		if (s->step.kind != stop->step.kind)
			continue;
		if (!goes_before(s, next, &direction) && !is_read_beside(s, stop))
			break;
		next = s;
		first = i;
	}
	for (size_t i = first; i < m->run.n; i++)
		if (m->run.at[i].step.thread == t->number)
			m->run.at[i].is_step = false;
}

static int settle_stop(struct maker *m, const struct made_thread *t, struct err *err)
{
	if (t->next.is_step) {
		widen_stop(m, t);
		return 0;
	}
	err_set(err, 0,
		"event %llu is not a step of the program itself, so no thread can stop there",
		(unsigned long long)t->next_event);
	return 1;
}

static int settle_bug_event(struct maker *m, uint64_t event, struct err *err)
{
	struct made_thread *t = thread_before(m, event);

	if (!t)
		return err_set(err, ERR_INPUT,
			       "event %llu of the bug is not the next of its thread after the run",
			       (unsigned long long)event);
	return settle_stop(m, t, err);
}

/* Everybody who exists and has not ended waits somewhere, as far as the trace tells. */
static bool is_stuck(const struct made_thread *t)
{
	return t->stands && !t->ended && (t->forked || !t->number || t->at);
}

/*
 * A bug that has happened when its last event has: its thread stands before that, and what the run
 * has behind it is not wanted. If that is no step there is no stop, and the run is taken to its
 * end.
 */
static int settle_past(struct maker *m, struct err *err)
{
	const struct witness *w = m->witness;
	uint64_t event = w->bug_events.at[w->bug_events.n - 1];
	uint32_t at = plan_find_wanted(m, event);

	if (at == PLAN_NONE)
		return err_set(err, ERR_INPUT, "event %llu of the bug is not in the run",
			       (unsigned long long)event);
	if (!m->run.at[at].is_step)
		return 0;
	m->past = m->run.at[at];
	for (size_t i = at; i < m->run.n; i++)
		m->run.at[i].is_step = false;
	return 0;
}

int plan_settle_stops(struct maker *m, struct err *err)
{
	const struct witness *w = m->witness;
	int code = 0;

	if (bug_facts[w->bug].past)
		return settle_past(m, err);
	for (size_t i = 0; !code && i < w->bug_events.n; i++)
		code = settle_bug_event(m, w->bug_events.at[i], err);
	for (size_t i = 0; bug_facts[w->bug].everyone && !code && i < m->threads.n; i++)
		if (is_stuck(&m->threads.at[i]))
			code = settle_stop(m, &m->threads.at[i], err);
	return code;
}

static void put_stop(struct maker *m, const struct made_step *stop)
{
	uint32_t at = stop->waker ? plan_find_wanted(m, stop->waker) : PLAN_NONE;

	plan_add_step(m, stop);
	if (at != PLAN_NONE)
		m->plan->steps.at[m->plan->steps.n - 1].other = m->index_of.at[at];
	m->plan->stops++;
}

void plan_put_stops(struct maker *m)
{
	const struct witness *w = m->witness;

	if (bug_facts[w->bug].past) {
		if (m->past.is_step)
			put_stop(m, &m->past);
		return;
	}
	if (bug_facts[w->bug].everyone) {
		for (size_t i = 0; i < m->threads.n; i++)
			if (is_stuck(&m->threads.at[i]))
				put_stop(m, &m->threads.at[i].next);
		return;
	}
	for (size_t i = 0; i < w->bug_events.n; i++)
		put_stop(m, &thread_before(m, w->bug_events.at[i])->next);
}
