/* SPDX-License-Identifier: MIT */
#include "model/causes_parts.h"

#include "base/seconds.h"
#include "base/sorted.h"
#include "model/only.h"
#include "trace/expr.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MOST ((size_t)32 << 20) /* numbers in all clocks */
#define PASSES_MOST 64

/* Clocks */

static const uint32_t *causes_rows_at(const struct causes_rows *r, uint32_t position,
				      uint32_t threads)
{
	size_t n = LOWER_BOUND(i, 0, r->positions.n, r->positions.at[i] <= position);

	return n ? r->counts.at + (n - 1) * threads : NULL;
}

bool causes_known_at(const struct causes *c, uint32_t event, const uint32_t **row)
{
	const struct causes_rows *rows = event <= c->at ? c->rows : c->old;
	uint32_t thread = c->index->events[event].thread;

	if (!rows)
		return false;
	*row = causes_rows_at(&rows[thread], c->index->position[event], c->threads);
	return true;
}

uint32_t causes_row_count(const struct causes *c, const uint32_t *row, uint32_t event,
			  uint32_t thread)
{
	if (c->index->events[event].thread == thread)
		return c->index->position[event];
	return row ? row[thread] : 0;
}

uint32_t causes_count(const struct causes *c, uint32_t event, uint32_t thread)
{
	const uint32_t *row = causes_rows_at(&c->rows[c->index->events[event].thread],
					     c->index->position[event], c->threads);

	return causes_row_count(c, row, event, thread);
}

static void put_row(struct causes *c, uint32_t thread, uint32_t position)
{
	struct causes_rows *r = &c->rows[thread];
	size_t n = r->positions.n;

	if (!n || r->positions.at[n - 1] < position) {
		c->words += c->threads;
		c->full |= c->words > c->words_most;
		vec_push(&r->positions, position);
		vec_extend(&r->counts, r->counts.n + c->threads);
		n++;
	}
	memcpy(r->counts.at + (n - 1) * c->threads, c->state[thread].now,
	       c->threads * sizeof(uint32_t));
}

static void join(struct causes *c, uint32_t thread, const uint32_t *counts)
{
	struct causes_thread *s = &c->state[thread];

	for (uint32_t t = 0; counts && t < c->threads; t++) {
		if (t == thread || s->now[t] >= counts[t])
			continue;
		s->now[t] = counts[t];
		s->changed = true;
	}
}

/* What is known at an event, and that event, before which others of the same thread come. */
static void join_event(struct causes *c, uint32_t thread, uint32_t event)
{
	uint32_t other = c->index->events[event].thread, count = c->index->position[event] + 1;
	struct causes_thread *s = &c->state[thread];
	const uint32_t *row;

	if (other == thread || !causes_known_at(c, event, &row))
		return;
	join(c, thread, row);
	if (s->now[other] < count) {
		s->now[other] = count;
		s->changed = true;
	}
}

/* Arms */

uint32_t causes_sure_from(const struct causes *c, uint32_t event)
{
	uint32_t from = c->index->position[event] + 1;

	for (uint32_t b = index_arm(c->index, event); b; b = index_arm(c->index, b)) {
		if (!c->confirmed[b])
			return PINS_NEVER;
		uint32_t position = c->index->position[c->confirmed[b]] + 1;

		from = position > from ? position : from;
	}
	return from;
}

bool causes_happened(const struct causes *c, uint32_t event, const uint32_t *counts)
{
	return causes_sure_from(c, event) <= counts[c->index->events[event].thread];
}

uint32_t causes_outermost(const struct causes *c, uint32_t event)
{
	for (uint32_t b = index_arm(c->index, event); b; b = index_arm(c->index, b))
		event = b;
	return event;
}

static void confirm(struct causes *c, uint32_t read, uint32_t event)
{
	const struct index *index = c->index;
	uint32_t around = index_arm(index, event);

	for (uint32_t b = index_arm(index, read); b; b = index_arm(index, b)) {
		bool inside = index->position[event] - index->position[b] <= index_scope(index, b);

		if (!inside && !c->confirmed[b] &&
		    (!around || index->position[around] < index->position[b]))
			c->confirmed[b] = event;
	}
}

static void note_pin(struct causes *c, uint32_t read, uint32_t event)
{
	uint32_t around = index_arm(c->index, event);

	confirm(c, read, event);
	if (c->pinned[read] == PINS_NEVER &&
	    (!around || c->index->position[around] < c->index->position[read]))
		c->pinned[read] = c->index->position[event] + 1;
}

/* What depends on the trace alone: which arms are known to be taken, and which values. */
static void find_pins(struct causes *c)
{
	const struct index *index = c->index;

	for (uint32_t n = 1; n <= index->count; n++)
		c->pinned[n] = PINS_NEVER;
	for (uint32_t n = 1; n <= index->count; n++) {
		struct causes_thread *s = &c->state[index->events[n].thread];
		const uint32_t *events = index->threads[index->events[n].thread].events;
		bool in_arm = index_scope(index, n);

		pins_of(index, n, &c->pins);
		for (size_t i = 0; i < c->pins.named.n; i++)
			confirm(c, c->pins.named.at[i], n);
		for (size_t i = 0; !in_arm && i < c->pins.reads.n; i++)
			note_pin(c, c->pins.reads.at[i], n);
		if (!c->pins.all || in_arm || index_arm(index, n))
			continue;
		for (; s->all_pinned < index->position[n]; s->all_pinned++)
			if (event_is(&index->events[events[s->all_pinned]], EV_RETURNS))
				note_pin(c, events[s->all_pinned], n);
	}
}

/* Groups */

static int compare_items(const void *a, const void *b, void *context)
{
	const struct index *index = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t s = index->events[x].thread, t = index->events[y].thread;

	if (s != t)
		return s < t ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Of the items from `first` on, which are of one object. */
static void add_groups(const struct causes *c, struct causes_groups *g, size_t first)
{
	uint32_t *items = g->items.at + first;
	size_t n = g->items.n - first;

	if (n)
		qsort_r(items, n, sizeof(*items), compare_items, (void *)c->index);
	for (size_t i = 0; i < n; i++) {
		uint32_t thread = c->index->events[items[i]].thread;

		if (!i || thread != c->index->events[items[i - 1]].thread) {
			struct causes_group group = {thread, (uint32_t)(first + i), 0};

			vec_push(&g->all, group);
		}
		g->all.at[g->all.n - 1].count++;
	}
}

static bool is_write(const struct event *e)
{
	return event_is(e, EV_STORES) && event_is(e, EV_VALUE);
}

static int64_t written(const struct event *e, uint32_t variable)
{
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part p = event_part(e, i);

		if (p.variable == variable)
			return e->kind == EV_RMW ? p.written : p.value;
	}
	return 0;
}

/* Its thread being past so many events, all reads that it is computed from are known. */
static uint32_t fixed_from(const struct causes *c, const struct event *e)
{
	const struct expr *expr = e->more ? e->more->expr : NULL;
	uint32_t from = 0;

	for (uint32_t i = 0; expr && i < expr->count; i++) {
		uint32_t read = expr->nodes[i].op == OP_READ ? (uint32_t)expr->nodes[i].value : 0;

		if (read && c->pinned[read] > from)
			from = c->pinned[read];
	}
	return from;
}

static void note_values(struct causes *c, size_t first, uint32_t variable)
{
	for (size_t i = first; i < c->writes.items.n; i++) {
		const struct event *e = &c->index->events[c->writes.items.at[i]];

		vec_push(&c->writes.values, written(e, variable));
		vec_push(&c->writes.fixed, fixed_from(c, e));
		vec_push(&c->writes.inputs,
			 event_part_count(e) == 1 ? only_read(c->index, c->writes.items.at[i]) : 0);
	}
}

static void find_groups(struct causes *c)
{
	const struct index *index = c->index;
	const struct sections *s = c->sections;
	size_t variables = symbols_count(index->symbols, CLASS_VARIABLE);
	size_t locks = symbols_count(index->symbols, CLASS_LOCK);

	c->writes.first = mem_alloc((variables + 1) * sizeof(uint32_t));
	for (size_t v = 0; v < variables; v++) {
		const struct index_list *list = &index->uses[CLASS_VARIABLE][v];
		size_t first = c->writes.items.n;

		c->writes.first[v] = (uint32_t)c->writes.all.n;
		for (uint32_t i = 0; i < list->count; i++)
			if (is_write(&index->events[list->events[i]]))
				vec_push(&c->writes.items, list->events[i]);
		add_groups(c, &c->writes, first);
		note_values(c, first, (uint32_t)v);
	}
	c->writes.first[variables] = (uint32_t)c->writes.all.n;
	c->locked.first = mem_alloc((locks + 1) * sizeof(uint32_t));
	for (size_t l = 0; l < locks; l++) {
		size_t first = c->locked.items.n;

		c->locked.first[l] = (uint32_t)c->locked.all.n;
		for (uint32_t i = s->first[l]; i < s->first[l + 1]; i++)
			vec_push(&c->locked.items, s->all.at[s->of_lock[i]].acquire);
		add_groups(c, &c->locked, first);
	}
	c->locked.first[locks] = (uint32_t)c->locked.all.n;
}

uint32_t causes_count_among(const struct causes *c, const struct causes_groups *g,
			    const struct causes_group *group, uint32_t events)
{
	return LOWER_BOUND(i, 0, group->count,
			   c->index->position[g->items.at[group->first + i]] < events);
}

/* Locks */

/* Sections of the lock that have begun are over, since this one has begun. */
static void end_others(struct causes *c, uint32_t thread, const struct section *mine)
{
	const struct sections *s = c->sections;

	for (uint32_t i = c->locked.first[mine->lock]; i < c->locked.first[mine->lock + 1]; i++) {
		const struct causes_group *g = &c->locked.all.at[i];
		uint32_t known = c->state[thread].now[g->thread];
		uint32_t k = g->thread == thread ? 0 : causes_count_among(c, &c->locked, g, known);

		for (uint32_t back = 0; k && back < CAUSES_LOOK_BACK; back++) {
			uint32_t acquire = c->locked.items.at[g->first + --k];
			const struct section *other = &s->all.at[s->at[acquire] - 1];

			if (!sections_exclude(mine, other) || causes_sure_from(c, acquire) > known)
				continue;
			if (other->release && c->index->position[other->release] >= known)
				join_event(c, thread, other->release);
			break;
		}
	}
}

static void apply_locks(struct causes *c, uint32_t thread)
{
	struct causes_thread *s = &c->state[thread];
	bool any = false;

	do {
		any |= s->changed;
		s->changed = false;
		for (size_t i = 0; i < s->held.n; i++)
			end_others(c, thread, &c->sections->all.at[s->held.at[i]]);
	} while (s->changed);
	s->changed = any;
}

/*
 * The thread is past an event that asks for what the read has returned; or, if a branch is given,
 * for a value with which its guard holds.
 */
static void pin(struct causes *c, uint32_t thread, uint32_t read, uint32_t branch)
{
	const struct index *index = c->index;
	const struct event *e = &index->events[read];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t v = event_part(e, i).variable, first = c->writes.first[v];

		if (first == c->writes.first[v + 1] || (first + 1 == c->writes.first[v + 1] &&
							c->writes.all.at[first].thread == thread))
			continue;
		if (causes_find_common(c, read, i, branch))
			join(c, thread, c->meet);
	}
}

/* A pass */

static void leave_arms(struct causes *c, uint32_t n)
{
	uint32_t thread = c->index->events[n].thread, position = c->index->position[n];
	struct causes_thread *s = &c->state[thread];

	while (s->arms.n && s->arms.at[s->arms.n - 1].end < position) {
		struct causes_arm arm = s->arms.at[--s->arms.n];

		if (c->confirmed[arm.branch]) {
			struct causes_lesson lesson = {c->confirmed[arm.branch], s->now};

			vec_push(&s->lessons, lesson);
		} else {
			mem_free(s->now);
		}
		s->now = arm.saved;
		s->changed = true;
	}
}

static void enter_arm(struct causes *c, uint32_t n)
{
	uint32_t thread = c->index->events[n].thread;
	struct causes_thread *s = &c->state[thread];
	struct causes_arm arm = {n, c->index->position[n] + index_scope(c->index, n), s->now};

	s->now = mem_alloc(c->threads * sizeof(*s->now));
	memcpy(s->now, arm.saved, c->threads * sizeof(*s->now));
	vec_push(&s->arms, arm);
}

static void take_lessons(struct causes *c, uint32_t n)
{
	struct causes_thread *s = &c->state[c->index->events[n].thread];
	size_t kept = 0;

	for (size_t i = 0; i < s->lessons.n; i++) {
		if (s->lessons.at[i].event != n) {
			s->lessons.at[kept++] = s->lessons.at[i];
			continue;
		}
		join(c, c->index->events[n].thread, s->lessons.at[i].counts);
		mem_free(s->lessons.at[i].counts);
	}
	s->lessons.n = kept;
}

static void pin_all(struct causes *c, uint32_t n)
{
	uint32_t thread = c->index->events[n].thread;
	const uint32_t *events = c->index->threads[thread].events;
	struct causes_thread *s = &c->state[thread];
	uint32_t i = s->all_pinned;

	/* in an arm those of the arm alone: more would be looked at in every arm again */
	if (s->arms.n && i < c->index->position[s->arms.at[s->arms.n - 1].branch])
		i = c->index->position[s->arms.at[s->arms.n - 1].branch];
	for (; i < c->index->position[n]; i++)
		if (event_is(&c->index->events[events[i]], EV_RETURNS) &&
		    c->pinned[events[i]] > c->index->position[n])
			pin(c, thread, events[i], 0);
	if (!s->arms.n)
		s->all_pinned = i;
}

static void apply_pins(struct causes *c, uint32_t n)
{
	uint32_t thread = c->index->events[n].thread, position = c->index->position[n];

	pins_of(c->index, n, &c->pins);
	for (size_t i = 0; i < c->pins.reads.n; i++) {
		uint32_t read = c->pins.reads.at[i];

		/* what an earlier event has said of it is known by now */
		if (c->pinned[read] > position ||
		    (c->state[thread].arms.n && c->pinned[read] == PINS_NEVER))
			pin(c, thread, read, 0);
	}
	if (c->pins.all)
		pin_all(c, n);
	uint32_t guarded = c->pins.all ? 0 : causes_guarded(c, n);

	if (guarded && c->pinned[guarded] > position)
		pin(c, thread, guarded, n);
}

static void begin_or_end(struct causes *c, uint32_t n)
{
	uint32_t thread = c->index->events[n].thread, number = c->sections->at[n] - 1;
	struct causes_thread *s = &c->state[thread];

	if (c->sections->all.at[number].acquire == n) {
		vec_push(&s->held, number);
		apply_locks(c, thread);
		if (s->changed)
			put_row(c, thread, c->index->position[n] + 1);
		s->changed = false;
		return;
	}
	for (size_t i = 0; i < s->held.n; i++)
		if (s->held.at[i] == number) {
			s->held.at[i] = s->held.at[--s->held.n];
			return;
		}
}

static void take_event(struct causes *c, uint32_t n)
{
	uint32_t thread = c->index->events[n].thread, position = c->index->position[n];
	struct causes_thread *s = &c->state[thread];
	bool in_arm = index_scope(c->index, n);

	c->at = n;
	s->changed = false;
	leave_arms(c, n);
	if (s->lessons.n)
		take_lessons(c, n);
	for (uint32_t i = c->needs->first[n]; i < c->needs->first[n + 1]; i++)
		join_event(c, thread, c->needs->events[i]);
	if (in_arm) {
		if (s->changed)
			put_row(c, thread, position);
		s->changed = false;
		enter_arm(c, n);
	}
	apply_pins(c, n);
	if (s->changed) {
		apply_locks(c, thread);
		put_row(c, thread, in_arm ? position + 1 : position);
	}
	s->changed = false;
	if (c->sections->at[n])
		begin_or_end(c, n);
}

static void reset_threads(struct causes *c)
{
	for (uint32_t t = 0; t < c->threads; t++) {
		struct causes_thread *s = &c->state[t];

		for (size_t i = 0; i < s->lessons.n; i++)
			mem_free(s->lessons.at[i].counts);
		for (size_t i = 0; i < s->arms.n; i++)
			mem_free(s->arms.at[i].saved);
		s->lessons.n = s->arms.n = s->held.n = 0;
		s->all_pinned = 0;
		memset(s->now, 0, c->threads * sizeof(*s->now));
	}
}

static bool is_same(const struct causes_rows *a, const struct causes_rows *b)
{
	return a->positions.n == b->positions.n &&
	       (!a->positions.n ||
		(!memcmp(a->positions.at, b->positions.at,
			 a->positions.n * sizeof(*a->positions.at)) &&
		 !memcmp(a->counts.at, b->counts.at, a->counts.n * sizeof(*a->counts.at))));
}

static void rows_free(struct causes_rows *rows, uint32_t threads)
{
	for (uint32_t t = 0; rows && t < threads; t++) {
		vec_release(&rows[t].positions);
		vec_release(&rows[t].counts);
	}
	mem_free(rows);
}

/* True: it was the last. */
static bool run_pass(struct causes *c)
{
	bool same = c->old;

	c->words = 0;
	c->rows = mem_alloc_zero(c->threads, sizeof(*c->rows));
	reset_threads(c);
	for (uint32_t n = 1; n <= c->index->count && !c->full; n++) {
		if (!(n & 0xfff) && c->deadline > 0 && seconds_now() >= c->deadline)
			c->full = true;
		take_event(c, n);
	}
	for (uint32_t t = 0; t < c->threads && same; t++)
		same = is_same(&c->rows[t], &c->old[t]);
	return same;
}

/* In bytes: what is made before the first pass, about. */
static uint64_t size_of_start(const struct index *index)
{
	return (uint64_t)index->count * (2 * sizeof(uint32_t) + 5 * sizeof(uint32_t));
}

/* Numbers in the clocks of one pass; 0: there is no room. */
static size_t find_room(const struct index *index, const struct causes_limits *limits)
{
	uint64_t start = size_of_start(index);
	/* two passes are there at a time, and arrays grow by half */
	uint64_t left =
		limits->bytes > start ? (limits->bytes - start) / (3 * sizeof(uint32_t)) : 0;

	return limits->bytes && left < WORDS_MOST ? left : WORDS_MOST;
}

struct causes *causes_new(const struct index *index, const struct needs *needs,
			  const struct causes_limits *limits)
{
	size_t room = find_room(index, limits);

	if (!room)
		return NULL;
	struct causes *c = mem_alloc_zero(1, sizeof(*c));
	uint32_t threads = index->thread_count;
	bool done = false;

	*c = (struct causes){.index = index,
			     .needs = needs,
			     .sections = sections_of(index),
			     .deadline = limits->deadline,
			     .words_most = room,
			     .threads = threads};
	c->confirmed = mem_alloc_zero((size_t)index->count + 1, sizeof(*c->confirmed));
	c->pinned = mem_alloc_zero((size_t)index->count + 1, sizeof(*c->pinned));
	c->state = mem_alloc_zero(threads, sizeof(*c->state));
	c->meet = mem_alloc_zero(threads, sizeof(*c->meet));
	c->last = mem_alloc_zero(threads, sizeof(*c->last));
	for (uint32_t t = 0; t < threads; t++)
		c->state[t].now = mem_alloc_zero(threads, sizeof(uint32_t));
	find_pins(c);
	find_groups(c);
	for (c->pass = 0; c->pass < PASSES_MOST && !done && !c->full; c->pass++) {
		rows_free(c->old, threads);
		c->old = c->rows;
		done = run_pass(c);
	}
	c->at = index->count;
	if (done && !c->full) {
		rows_free(c->old, threads);
		mem_free(c->pinned);
		c->old = NULL;
		c->pinned = NULL;
		return c;
	}
	causes_free(c);
	return NULL;
}

void causes_free(struct causes *c)
{
	if (!c)
		return;
	reset_threads(c);
	for (uint32_t t = 0; t < c->threads; t++) {
		vec_release(&c->state[t].arms);
		vec_release(&c->state[t].lessons);
		vec_release(&c->state[t].held);
		mem_free(c->state[t].now);
	}
	rows_free(c->rows, c->threads);
	rows_free(c->old, c->threads);
	vec_release(&c->writes.items);
	vec_release(&c->writes.all);
	vec_release(&c->writes.values);
	vec_release(&c->writes.fixed);
	vec_release(&c->writes.inputs);
	vec_release(&c->followed);
	vec_release(&c->locked.items);
	vec_release(&c->locked.all);
	mem_free(c->writes.first);
	mem_free(c->locked.first);
	mem_free(c->confirmed);
	mem_free(c->pinned);
	mem_free(c->state);
	mem_free(c->meet);
	mem_free(c->last);
	pins_release(&c->pins);
	mem_free(c);
}
