/* SPDX-License-Identifier: MIT */
/*
 * One process of the Perfetto report. An event is a slice on the track of its thread, a critical
 * section one on the track of its lock. Arrows lead to a read from the write of another thread that
 * it takes its value from, to the begin of a thread from its fork, to a join from the end, to who
 * is woken from the signal.
 */
#include "report/perfetto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* source 0: what was there at the start; from 0: it has no slice, and there is no arrow. */
struct arrow {
	uint64_t from, to; /* places */
	uint32_t source, recorded;
};

struct drawn {
	struct perfetto *x;
	const struct perfetto_run *run;
	const struct index *index;
	uint64_t *place;	   /* of each event that has a slice; else 0 */
	uint32_t *last;		   /* 1 + the last writer of each variable; 0: as recorded */
	VEC(struct arrow) arrows;  /* by `to` */
	uint32_t *by_from;	   /* the same by `from` */
	size_t next_from, next_to; /* not drawn yet */
	VEC(uint32_t) open;	   /* sections that have a slice, 1 + their numbers; 0: ended */
};

static uint32_t event_at(const struct drawn *d, uint64_t place)
{
	const struct witness *w = d->run->witness;

	return (uint32_t)(w ? witness_event(w, place - 1) : place);
}

/* Whether the run is as it was recorded up to this place. */
static bool is_recorded(const struct drawn *d, uint64_t place)
{
	return !d->run->witness || place <= d->run->witness->recorded;
}

/* Arrows */

static uint32_t source_of(struct drawn *d, uint64_t place, uint32_t variable, uint32_t recorded)
{
	if (is_recorded(d, place))
		return recorded;
	if (!d->last[variable])
		d->last[variable] =
			1 + index_writer_by(d->index, variable, d->run->witness->recorded);
	return d->last[variable] - 1;
}

static void add_arrow(struct drawn *d, uint64_t place, uint32_t source, uint32_t recorded)
{
	const struct event *events = d->index->events;
	bool other = source && events[source].thread != events[event_at(d, place)].thread;
	struct arrow arrow = {other ? d->place[source] : 0, place, source, recorded};
	size_t n = d->arrows.n;

	if (source == recorded && !arrow.from)
		return;
	if (n && d->arrows.at[n - 1].to == place && d->arrows.at[n - 1].source == source)
		return;
	vec_push(&d->arrows, arrow);
}

static void add_reads(struct drawn *d, uint64_t place, const struct event *e, uint32_t n)
{
	for (uint32_t k = 0; k < event_part_count(e); k++) {
		uint32_t variable = event_part(e, k).variable;
		uint32_t recorded = d->index->writer[d->index->parts[n] + k];

		if (event_is(e, EV_RETURNS) && place >= d->run->first)
			add_arrow(d, place, source_of(d, place, variable, recorded), recorded);
		if (event_is(e, EV_STORES) && event_is(e, EV_VALUE) && !is_recorded(d, place))
			d->last[variable] = n + 1;
	}
}

/* The event of another thread that lets this one happen, or 0. */
static uint32_t cause_of(const struct index *index, const struct event *e, uint32_t n)
{
	if (e->kind == EV_WOKEN)
		return (uint32_t)e->more->by;
	if (e->kind == EV_JOIN && index->threads[e->object].count)
		return index->threads[e->object].events[index->threads[e->object].count - 1];
	return index->position[n] ? 0 : index->threads[e->thread].fork;
}

static void find_arrows(struct drawn *d)
{
	const struct perfetto_run *run = d->run;
	uint64_t place = run->first;

	/* writes that come before what is drawn, too */
	if (run->witness && run->witness->recorded + 1 < place)
		place = run->witness->recorded + 1;
	for (; place <= run->last; place++) {
		uint32_t n = event_at(d, place);
		const struct event *e = &d->index->events[n];

		if (event_is(e, EV_ACCESS))
			add_reads(d, place, e, n);
		if (place < run->first || e->kind == EV_BRANCH)
			continue;
		uint32_t cause = cause_of(d->index, e, n);

		if (cause)
			add_arrow(d, place, cause, cause);
		d->place[n] = place;
	}
}

static int compare_arrows(const void *a, const void *b, void *context)
{
	const struct arrow *arrows = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	uint64_t x = arrows[i].from, y = arrows[k].from;

	return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

static void sort_arrows(struct drawn *d)
{
	d->by_from = mem_alloc(d->arrows.n * sizeof(*d->by_from) + 1);
	for (size_t i = 0; i < d->arrows.n; i++)
		d->by_from[i] = (uint32_t)i;
	if (d->arrows.n)
		qsort_r(d->by_from, d->arrows.n, sizeof(*d->by_from), compare_arrows, d->arrows.at);
}

/* Slices */

static enum perfetto_category category_of(const struct event *e)
{
	if (event_is(e, EV_ACCESS))
		return PERFETTO_MEMORY;
	return e->kind <= EV_JOIN ? PERFETTO_THREAD : PERFETTO_SYNC;
}

static bool is_bug(const struct drawn *d, uint32_t n)
{
	for (size_t i = 0; d->run->bugs && i < d->run->bugs->n; i++)
		if (d->run->bugs->at[i] == n)
			return true;
	return false;
}

/* "writes x", with more before it */
static const char *name_event(struct story *s, const char *before, uint32_t n)
{
	const struct event *e = &s->index->events[n];
	const char *verb = story_verb(e), *object = story_object(s, e);
	size_t size = strlen(before) + strlen(verb) + strlen(object) + 2;
	char *text = arena_alloc(&s->text, size);

	snprintf(text, size, "%s%s%s%s", before, verb, *object ? " " : "", object);
	return text;
}

static void annotate_stack(struct perfetto *x, uint32_t n)
{
	const struct caller *c = callers_of(&x->story.callers, n);

	for (unsigned i = 0; c && i < CALLERS_MOST; c = callers_next(&x->story.callers, c), i++) {
		char name[40];

		snprintf(name, sizeof(name), "called from %02u", i + 1);
		perfetto_annotate_text(x, name, c->text);
	}
}

/* A read that takes its value from elsewhere than recorded has one that nobody knows. */
static void annotate_values(struct perfetto *x, const struct event *e, bool changed)
{
	struct part part = event_part(e, 0);

	if (event_is(e, EV_VALUE) && !changed)
		perfetto_annotate_number(x, "recorded value", part.value);
	if (e->kind == EV_RMW && !changed)
		perfetto_annotate_number(x, "recorded value written", part.written);
	if (e->order != ORDER_PLAIN)
		perfetto_annotate_text(x, "order", memory_order_text[e->order]);
}

static const char *describe_source(struct story *s, uint32_t source)
{
	if (!source)
		return "as it was at the start";
	const char *line = story_line(s, source);
	size_t size = strlen(line) + 60;
	char *text = arena_alloc(&s->text, size);

	snprintf(text, size, "as written at %s, event %u", line, source);
	return text;
}

/* Of the arrows to this place; true: a read is not from where it was recorded. */
static bool is_changed(const struct drawn *d, uint64_t place)
{
	for (size_t i = d->next_to; i < d->arrows.n && d->arrows.at[i].to == place; i++)
		if (d->arrows.at[i].source != d->arrows.at[i].recorded)
			return true;
	return false;
}

static void put_arrows(struct drawn *d, uint64_t place)
{
	for (; d->next_from < d->arrows.n; d->next_from++) {
		uint32_t i = d->by_from[d->next_from];

		if (d->arrows.at[i].from > place)
			break;
		if (d->arrows.at[i].from)
			perfetto_flow(d->x, i + 1, false);
	}
	for (; d->next_to < d->arrows.n && d->arrows.at[d->next_to].to == place; d->next_to++) {
		const struct arrow *a = &d->arrows.at[d->next_to];

		if (a->from)
			perfetto_flow(d->x, (uint32_t)d->next_to + 1, true);
		if (a->source == a->recorded)
			continue;
		perfetto_annotate_text(d->x, "reads", describe_source(&d->x->story, a->source));
		perfetto_annotate_text(d->x, "recorded",
				       describe_source(&d->x->story, a->recorded));
	}
}

static struct perfetto_lane lane_of_thread(uint32_t thread)
{
	return (struct perfetto_lane){TRACK_THREAD, thread, 0};
}

static void put_event(struct drawn *d, uint64_t place, uint32_t n)
{
	const struct event *e = &d->index->events[n];
	struct perfetto *x = d->x;
	bool changed = is_changed(d, place), bug = is_bug(d, n);
	const char *before = bug ? "BUG: " : changed ? "CHANGED: " : "";

	perfetto_begin_slice(x, lane_of_thread(e->thread), place,
			     bug ? PERFETTO_BUG : category_of(e), name_event(&x->story, before, n),
			     e->location);
	perfetto_annotate_number(x, "event", n);
	if (event_is(e, EV_ACCESS))
		annotate_values(x, e, changed);
	put_arrows(d, place);
	if (bug)
		annotate_stack(x, n);
	perfetto_end_packet(x);
}

/* Critical sections */

static struct perfetto_lane lane_of_section(const struct section *s)
{
	if (s->shared)
		return (struct perfetto_lane){TRACK_SHARED, s->lock, s->thread};
	return (struct perfetto_lane){TRACK_LOCK, s->lock, 0};
}

static void begin_section(struct drawn *d, uint64_t place, uint32_t n)
{
	const struct sections *sections = d->x->story.sections;
	uint32_t number = sections->at[n];
	const struct section *s = number ? &sections->all.at[number - 1] : NULL;

	if (!s || s->acquire != n)
		return;
	perfetto_begin_slice(d->x, lane_of_section(s), place, PERFETTO_HELD,
			     story_who(&d->x->story, s->thread), d->index->events[n].location);
	perfetto_end_packet(d->x);
	vec_push(&d->open, number);
}

/* One that was taken before what is drawn has no slice. */
static void end_section(struct drawn *d, uint64_t place, uint32_t n)
{
	const struct sections *sections = d->x->story.sections;
	uint32_t number = sections->at[n];

	if (!number || sections->all.at[number - 1].release != n)
		return;
	for (size_t i = d->open.n; i-- > 0;) {
		if (d->open.at[i] != number)
			continue;
		perfetto_end_slice(d->x, lane_of_section(&sections->all.at[number - 1]), place);
		for (; i + 1 < d->open.n; i++)
			d->open.at[i] = d->open.at[i + 1];
		d->open.n--;
		return;
	}
}

static void end_sections(struct drawn *d, uint64_t place)
{
	while (d->open.n) {
		uint32_t number = d->open.at[--d->open.n];

		perfetto_end_slice(d->x, lane_of_section(&d->x->story.sections->all.at[number - 1]),
				   place);
	}
}

/* The run */

static void put_place(struct drawn *d, uint64_t place)
{
	uint32_t n = event_at(d, place);
	const struct event *e = &d->index->events[n];

	if (e->kind == EV_BRANCH)
		return;
	begin_section(d, place, n);
	put_event(d, place, n);
	perfetto_end_slice(d->x, lane_of_thread(e->thread), place + 1);
	end_section(d, place + 1, n);
}

/* What comes next when the run of the witness has ended, of all threads at once. */
static void put_next(struct drawn *d, uint64_t place)
{
	const struct perfetto_run *run = d->run;
	struct story *s = &d->x->story;

	if (!run->witness || bug_facts[run->witness->bug].past)
		return;
	for (size_t i = 0; i < run->bugs->n; i++) {
		uint32_t n = run->bugs->at[i];
		const struct event *e = &d->index->events[n];

		perfetto_begin_slice(d->x, lane_of_thread(e->thread), place, PERFETTO_BUG,
				     name_event(s, "BUG: next ", n), e->location);
		perfetto_annotate_number(d->x, "event", n);
		annotate_stack(d->x, n);
		perfetto_end_packet(d->x);
	}
	for (size_t i = 0; i < run->bugs->n; i++)
		perfetto_end_slice(d->x, lane_of_thread(d->index->events[run->bugs->at[i]].thread),
				   place + 1);
}

/* Of a name; thread_count: there is none. */
static uint32_t find_thread(const struct story *s, const char *name)
{
	uint32_t t = 0;

	while (t < s->index->thread_count && strcmp(story_thread(s, t), name))
		t++;
	return t;
}

static void put_seen_step(struct drawn *d, const struct seen *f, const struct seen_step *step,
			  uint64_t place)
{
	struct story *s = &d->x->story;
	uint32_t thread = find_thread(s, step->thread);
	const char *at = step->location ? step->location : "";
	uint32_t location = intern_find(&s->symbols->locations, at, strlen(at));
	const char *title = seen_kind_title[f->kind];
	size_t size = strlen(title) + strlen(step->op) + strlen(step->object) + 20;
	char *name = arena_alloc(&s->text, size);

	if (thread == s->index->thread_count)
		return;
	snprintf(name, size, "BUG: %s: %s %s", title, step->op, step->object);
	perfetto_begin_slice(d->x, lane_of_thread(thread), place, PERFETTO_BUG, name,
			     location == INTERN_NONE ? 0 : location);
	perfetto_end_packet(d->x);
	perfetto_end_slice(d->x, lane_of_thread(thread), place + 1);
}

/* Each has a place of its own: a thread may be in several. Returns the place behind them. */
static uint64_t put_seen(struct drawn *d, uint64_t place)
{
	const struct seen_list *seen = d->run->seen;

	for (size_t i = 0; seen && i < seen->at.n; i++)
		for (size_t k = 0; k < seen->at.at[i].steps.n; k++)
			if (seen_is_main(&seen->at.at[i], k) && !seen->at.at[i].suppressed)
				put_seen_step(d, &seen->at.at[i], &seen->at.at[i].steps.at[k],
					      place++);
	return place;
}

void perfetto_put_run(struct perfetto *x, const struct perfetto_run *run)
{
	const struct index *index = x->story.index;
	struct drawn d = {.x = x, .run = run, .index = index};

	d.place = mem_alloc_zero((size_t)index->count + 1, sizeof(*d.place));
	d.last = mem_alloc_zero(symbols_count(x->story.symbols, CLASS_VARIABLE) + 1,
				sizeof(*d.last));
	perfetto_open_process(x, run->name);
	find_arrows(&d);
	sort_arrows(&d);
	for (uint64_t place = run->first; place <= run->last; place++)
		put_place(&d, place);
	put_next(&d, run->last + 1);
	end_sections(&d, put_seen(&d, run->last + 2));
	mem_free(d.place);
	mem_free(d.last);
	mem_free(d.by_from);
	vec_release(&d.arrows);
	vec_release(&d.open);
	arena_reset(&x->story.text);
}
