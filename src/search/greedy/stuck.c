/* SPDX-License-Identifier: MIT */
#include "search/greedy/stuck.h"

/* Where the thread of the wait stands back, and for how long. */
struct hold {
	uint32_t event; /* it does not take this one */
	uint32_t until; /* that has happened; 0: the others can go no further */
};

struct attempt {
	const struct greedy_stuck *s;
	struct event_list *order;
	uint32_t wait, thread;
	bool free; /* the thread of the wait may move */
	uint64_t steps;
};

static bool take(struct attempt *a, uint32_t event)
{
	if (!run_step(a->s->run, event, NULL))
		return false;
	vec_push(&a->order->at, event);
	a->steps++;
	return true;
}

/* How far can the thread go? Never beyond the wait. */
static bool run_thread(struct attempt *a, uint32_t thread)
{
	uint64_t before = a->steps;
	uint32_t next;

	while ((next = run_next(a->s->run, thread)) && next != a->wait && take(a, next))
		;
	return a->steps > before;
}

/* Once as recorded; who cannot go on is left behind. False: the time is over. */
static bool run_along(struct attempt *a, const struct hold *hold)
{
	const struct index *index = a->s->index;

	for (uint32_t n = hold->event; n <= index->count; n++) {
		uint32_t thread = index->events[n].thread;

		if (!(n & 0xffff) && greedy_is_over(a->s->clock))
			return false;
		if ((thread == a->thread && !a->free) || n == a->wait ||
		    run_next(a->s->run, thread) != n || !take(a, n))
			continue;
		a->free |= n == hold->until;
		if (a->free)
			run_thread(a, a->thread);
	}
	return true;
}

/* All go on for as long as somebody can. */
static bool run_out(struct attempt *a)
{
	for (bool any = true; any;) {
		any = false;
		for (uint32_t t = 0; t < a->s->index->thread_count; t++)
			any |= (t != a->thread || a->free) && run_thread(a, t);
		if (greedy_is_over(a->s->clock))
			return false;
	}
	return true;
}

static bool try_hold(const struct greedy_stuck *s, const struct query *q, const struct hold *hold,
		     struct event_list *order)
{
	struct attempt a = {.s = s, .order = order, .wait = q->events[0]};

	a.thread = s->index->events[a.wait].thread;
	order->at.n = 0;
	run_start(s->run, s->marks, hold->event);
	if (!run_along(&a, hold) || !run_out(&a))
		return false;
	a.free = true;
	return run_out(&a) && run_shows(s->run, q);
}

#define HOLDS_MOST 8

struct holds {
	struct hold at[HOLDS_MOST];
	uint32_t n;
};

static void add_hold(struct holds *holds, uint32_t event, uint32_t until)
{
	for (uint32_t i = 0; i < holds->n; i++)
		if (holds->at[i].event == event && holds->at[i].until == until)
			return;
	if (holds->n < HOLDS_MOST)
		holds->at[holds->n++] = (struct hold){event, until};
}

/* At the wait, before the locks that are held there, or before what it waited for last. */
static void find_holds(const struct greedy_stuck *s, uint32_t wait, struct holds *holds)
{
	const struct event *e = &s->index->events[wait];
	const struct index_thread *t = &s->index->threads[e->thread];
	uint32_t position = s->index->position[wait];

	if (e->kind == EV_WOKEN) {
		uint32_t by = (uint32_t)e->more->by, sleep = t->events[position - 1];
		uint32_t first = run_marks_first_hold(s->marks, sleep);

		if (by) {
			add_hold(holds, first, by);
			add_hold(holds, sleep, by);
			add_hold(holds, first, 0);
		}
	}
	add_hold(holds, wait, 0);
	add_hold(holds, run_marks_first_hold(s->marks, wait), 0);
	while (position && !event_blocks(&s->index->events[t->events[position - 1]]))
		position--;
	if (position)
		add_hold(holds, t->events[position - 1], 0);
}

bool greedy_stuck_find(const struct greedy_stuck *s, const struct query *q,
		       struct event_list *order, uint32_t *base)
{
	struct holds holds = {0};
	bool found = false;

	run_allow_early(s->run, true);
	find_holds(s, q->events[0], &holds);
	for (uint32_t i = 0; i < holds.n && !found && !greedy_is_over(s->clock); i++) {
		*base = holds.at[i].event;
		found = try_hold(s, q, &holds.at[i], order);
	}
	run_allow_early(s->run, false);
	return found;
}
