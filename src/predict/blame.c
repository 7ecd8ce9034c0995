/* SPDX-License-Identifier: MIT */
#include "predict/blame.h"

#include "model/depends.h"
#include "model/optimistic.h"
#include "search/run.h"

#include <stdlib.h>

struct blaming {
	struct prediction *p;
	struct index *view;
	struct run *run;
	struct depends depends;
	const struct witness *witness;
	VEC(struct event)
	optimistic; /* beside the witness's run: the events as the view has them */
	bool forgive_writes;
	VEC(uint32_t) found;  /* events that are to blame, one of each place */
	bool *thread_changed; /* a read of it has */
};

static const struct event *as_recorded(const struct blaming *b, uint32_t n)
{
	return &b->p->index->events[n];
}

static bool same_place(const struct event *a, const struct event *b)
{
	return a->location && a->location == b->location && a->kind == b->kind;
}

static void blame(struct blaming *b, uint32_t n)
{
	for (size_t i = 0; i < b->found.n; i++)
		if (same_place(as_recorded(b, b->found.at[i]), as_recorded(b, n)))
			return;
	vec_push(&b->found, n);
}

/* Something has changed that the event, as it was recorded, depends on. */
static bool has_changed(struct blaming *b, uint32_t n)
{
	const struct event *e = as_recorded(b, n);

	bool own = run_would_change(b->run, n); /* of an rmw */

	depends_of(e, &b->depends);
	if (b->depends.on_all)
		return own || b->thread_changed[e->thread];
	for (size_t i = 0; i < b->depends.named.n; i++) {
		uint32_t read = b->depends.named.at[i];

		if (read == n ? own : run_changed(b->run, read))
			return true;
	}
	return false;
}

static void forgive(struct blaming *b, size_t i)
{
	uint32_t n = (uint32_t)witness_event(b->witness, i);

	blame(b, n);
	b->view->events[n] = b->optimistic.at[i];
}

/* A branch that fails is forgiven; a write whose value would be unknown, if that is of use. */
static bool take_step(struct blaming *b, size_t i)
{
	uint32_t n = (uint32_t)witness_event(b->witness, i);
	const struct event *e = as_recorded(b, n);
	bool left_out = optimistic_leaves_out(e);

	if (left_out && e->kind != EV_BRANCH && b->forgive_writes && has_changed(b, n))
		forgive(b, i);
	if (!run_step(b->run, n, NULL)) {
		if (!left_out || e->kind != EV_BRANCH)
			return false;
		forgive(b, i);
		if (!run_step(b->run, n, NULL))
			return false;
	}
	b->thread_changed[e->thread] |= event_is(e, EV_RETURNS) && run_changed(b->run, n);
	return true;
}

static bool stands_at_bug(struct blaming *b)
{
	const struct witness *w = b->witness;
	VEC(uint32_t) events = {0};

	if (bug_facts[w->bug].past)
		return true; /* the run itself is what is wrong */
	for (size_t i = 0; i < w->bug_events.n; i++)
		vec_push(&events, (uint32_t)w->bug_events.at[i]);
	struct query q = {w->bug, (uint32_t)events.n, events.at};
	bool shows = run_shows(b->run, &q);

	vec_release(&events);
	return shows;
}

static bool run_along(struct blaming *b)
{
	for (uint32_t t = 0; t < b->view->thread_count; t++)
		b->thread_changed[t] = false;
	run_allow_early(b->run, bug_facts[b->witness->bug].early);
	for (size_t i = 0; i < witness_length(b->witness); i++)
		if (!take_step(b, i))
			return false;
	return stands_at_bug(b);
}

/* In mcm every read decides all that its thread does behind it. */
static void blame_reads(struct blaming *b)
{
	const struct witness *w = b->witness;

	run_allow_early(b->run, bug_facts[w->bug].early);
	for (uint32_t t = 0; t < b->view->thread_count; t++)
		b->thread_changed[t] = false;
	for (size_t i = 0; i < witness_length(w); i++) {
		uint32_t n = (uint32_t)witness_event(w, i);
		const struct event *e = as_recorded(b, n);

		if (!run_step(b->run, n, NULL))
			return;
		if (b->thread_changed[e->thread] || !run_changed(b->run, n))
			continue;
		b->thread_changed[e->thread] = true;
		blame(b, n);
	}
}

static void blame_dependences(struct blaming *b)
{
	const struct witness *w = b->witness;

	b->optimistic.n = 0;
	for (size_t i = 0; i < witness_length(w); i++) {
		struct event *e = &b->view->events[witness_event(w, i)];

		vec_push(&b->optimistic, *e);
		*e = *as_recorded(b, (uint32_t)witness_event(w, i));
	}
	b->forgive_writes = false;
	if (!run_along(b)) {
		b->forgive_writes = true;
		run_along(b);
	}
	for (size_t i = 0; i < witness_length(w); i++)
		b->view->events[witness_event(w, i)] = b->optimistic.at[i];
}

static struct blamed *find(struct blaming *b, uint32_t n)
{
	struct prediction *p = b->p;

	for (size_t i = 0; i < p->why.n; i++)
		if (p->why.at[i].event == n ||
		    same_place(as_recorded(b, p->why.at[i].event), as_recorded(b, n)))
			return &p->why.at[i];
	struct blamed new = {.event = n};

	vec_push(&p->why, new);
	return &p->why.at[p->why.n - 1];
}

static void add_up(struct blaming *b)
{
	for (size_t i = 0; i < b->found.n; i++) {
		struct blamed *at = find(b, b->found.at[i]);

		at->candidates++;
		at->alone += b->found.n == 1;
		if (b->found.at[i] < at->event)
			at->event = b->found.at[i];
	}
}

static int compare_blamed(const void *a, const void *b)
{
	const struct blamed *x = a, *y = b;

	if (x->candidates != y->candidates)
		return x->candidates > y->candidates ? -1 : 1;
	if (x->alone != y->alone)
		return x->alone > y->alone ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

void blame_all(struct prediction *p, struct index *view)
{
	struct blaming b = {.p = p, .view = view};

	b.thread_changed = mem_alloc_zero(view->thread_count + 1, sizeof(*b.thread_changed));
	for (size_t i = 0; i < p->held.n; i++) {
		struct finding *f = &p->held.at[i];

		if (!b.run)
			b.run = run_new(view, f->witness.model);
		finding_open(f);
		b.witness = &f->witness;
		b.found.n = 0;
		if (p->model == MODEL_MCM)
			blame_reads(&b);
		else
			blame_dependences(&b);
		add_up(&b);
		finding_close(f);
	}
	if (p->why.n)
		qsort(p->why.at, p->why.n, sizeof(*p->why.at), compare_blamed);
	run_free(b.run);
	vec_release(&b.depends.named);
	vec_release(&b.optimistic);
	vec_release(&b.found);
	mem_free(b.thread_changed);
}
