/* SPDX-License-Identifier: MIT */
/*
 * Which events of a run its bug needs. What an event needs comes before it in the run, but for the
 * ends of sections: so one sweep from the back finds nearly all, and of what turns out to be
 * needed behind the place where the sweep is there are lists.
 */
#include "model/depends.h"
#include "predict/minimise_parts.h"

#include <string.h>

#define READ_MATTERS 1
#define CHAINED 2
#define VALUE_MATTERS 4

struct keeper {
	const struct minimiser *m;
	const struct index *index;
	const struct witness *w;
	/* of each thread: so many of its events are kept; the reads before that position matter */
	uint32_t *kept, *covered;
	uint32_t *open; /* of each lock: the last kept acquire in the run; those before it end */
	/* of each place in the run */
	uint8_t *flags;
	/*
	 * Of an access to one variable: the event in the run that wrote what was there, or 0; to
	 * several: where in `writers` theirs are. Else 1 + the place of the event before that
	 * counts, or 0: see link_object, link_holders.
	 */
	uint32_t *source;
	VEC(uint32_t) writers;
	/* Places, from 1: what is kept before this one will be looked at when the sweep is there.
	 */
	size_t at;
	VEC(uint32_t) fresh;  /* kept, and not looked at yet */
	VEC(uint32_t) values; /* writes whose value matters, and that were not looked at yet */
	struct depends depends;
	bool failed;
};

/* Facts of the run */

/* What was last done to each object: of variables the write, of others 1 + the place. */
struct last {
	uint32_t *of[CLASS_COUNT];
};

/* Of semaphores, barriers and conditions what came before counts; of the rest it does not. */
static bool is_chained(enum object_class class)
{
	return class == CLASS_SEMAPHORE || class == CLASS_BARRIER || class == CLASS_CONDITION;
}

static void link_access(struct keeper *k, struct last *last, size_t i, const struct event *e)
{
	uint32_t *last_write = last->of[CLASS_VARIABLE], n = (uint32_t)k->w->run.at[i];
	uint32_t parts = index_part_count(k->index, n);
	bool writes = event_is(e, EV_STORES) && event_is(e, EV_VALUE);

	k->source[i] = parts > 1 ? (uint32_t)k->writers.n : last_write[e->object];
	for (uint32_t p = 0; p < parts; p++) {
		uint32_t variable = p ? event_part(e, p).variable : e->object;

		if (parts > 1)
			vec_push(&k->writers, last_write[variable]);
		if (writes)
			last_write[variable] = n;
	}
}

static void link_object(struct keeper *k, struct last *last, size_t i, const struct event *e)
{
	enum object_class class = event_kind_class[e->kind];

	k->source[i] = 0;
	if (!is_chained(class))
		return;
	k->source[i] = last->of[class][e->object];
	last->of[class][e->object] = (uint32_t)i + 1;
}

/* The source of a try-fail is an acquire of who holds the lock. */
static void link_holders(struct keeper *k)
{
	const struct sections *sections = k->m->sections;
	VEC(uint32_t) open = {0}; /* places of the acquires */

	for (size_t i = 0; i < k->w->run.n; i++) {
		uint32_t n = (uint32_t)k->w->run.at[i], at = sections->at[n];
		const struct event *e = &k->index->events[n];

		if (at && sections->all.at[at - 1].acquire == n) {
			vec_push(&open, (uint32_t)i);
		} else if (at) {
			size_t o = 0;

			while (o < open.n &&
			       k->w->run.at[open.at[o]] != sections->all.at[at - 1].acquire)
				o++;
			if (o < open.n)
				open.at[o] = open.at[--open.n];
		}
		for (size_t o = 0; e->kind == EV_TRY_FAIL && o < open.n; o++) {
			uint32_t acquire = (uint32_t)k->w->run.at[open.at[o]];
			const struct section *s = &sections->all.at[sections->at[acquire] - 1];

			if (s->lock == e->object && s->thread != e->thread)
				k->source[i] = open.at[o] + 1;
		}
	}
	vec_release(&open);
}

static void link_run(struct keeper *k)
{
	struct last last = {0};
	bool try_fails = false;

	for (int c = 0; c < CLASS_COUNT; c++)
		if (c == CLASS_VARIABLE || is_chained(c))
			last.of[c] = mem_alloc_zero(symbols_count(k->index->symbols, c) + 1,
						    sizeof(*last.of[c]));
	for (size_t i = 0; i < k->w->run.n; i++) {
		const struct event *e = &k->index->events[k->w->run.at[i]];

		if (event_is(e, EV_ACCESS))
			link_access(k, &last, i, e);
		else
			link_object(k, &last, i, e);
		try_fails |= e->kind == EV_TRY_FAIL;
	}
	for (int c = 0; c < CLASS_COUNT; c++)
		mem_free(last.of[c]);
	if (try_fails)
		link_holders(k);
}

/* What has to be kept */

/* The sweep has been there; or its thread skipped it, and those before it may be. */
static bool is_at_hand(const struct keeper *k, uint32_t event)
{
	return k->m->place[event] >= k->at || (!k->m->place[event] && index_arm(k->index, event));
}

/* The event and all of its thread before it, which comes before it in the run. */
static void keep(struct keeper *k, uint32_t event)
{
	const uint32_t *events = k->index->threads[k->index->events[event].thread].events;
	uint32_t *kept = &k->kept[k->index->events[event].thread];
	uint32_t end = k->index->position[event] + 1;

	if (!k->m->place[event])
		k->failed = true;
	for (uint32_t i = end; i > *kept && is_at_hand(k, events[i - 1]); i--)
		if (k->m->place[events[i - 1]])
			vec_push(&k->fresh, events[i - 1]);
	if (*kept < end)
		*kept = end;
}

static void keep_needs(struct keeper *k, uint32_t event)
{
	const struct needs *needs = k->m->needs;

	for (uint32_t i = needs->first[event]; i < needs->first[event + 1]; i++)
		keep(k, needs->events[i]);
}

static void keep_writer(struct keeper *k, uint32_t writer)
{
	if (!writer)
		return;
	keep(k, writer);
	uint32_t place = k->m->place[writer];

	if (!place || k->flags[place - 1] & VALUE_MATTERS)
		return;
	k->flags[place - 1] |= VALUE_MATTERS;
	if (place >= k->at)
		vec_push(&k->values, writer);
}

static void keep_writers(struct keeper *k, uint32_t read)
{
	uint32_t parts = index_part_count(k->index, read);
	uint32_t source = k->source[k->m->place[read] - 1];

	if (parts == 1)
		keep_writer(k, source);
	for (uint32_t i = 0; parts > 1 && i < parts; i++)
		keep_writer(k, k->writers.at[source + i]);
}

/* The read returns what it does in the run. */
static void read_matters(struct keeper *k, uint32_t read)
{
	uint32_t place = k->m->place[read];

	if (!place || k->flags[place - 1] & READ_MATTERS ||
	    !event_is(&k->index->events[read], EV_RETURNS))
		return;
	k->flags[place - 1] |= READ_MATTERS;
	if (place >= k->at)
		keep_writers(k, read);
}

static void depend(struct keeper *k, uint32_t event)
{
	const struct event *e = &k->index->events[event];
	const uint32_t *events = k->index->threads[e->thread].events;
	uint32_t *covered = &k->covered[e->thread];
	uint32_t end = k->index->position[event] + (e->kind == EV_RMW);

	depends_of(e, &k->depends);
	for (size_t i = 0; i < k->depends.named.n; i++)
		read_matters(k, k->depends.named.at[i]);
	if (!k->depends.on_all || *covered >= end)
		return;
	for (uint32_t i = end; i > *covered && is_at_hand(k, events[i - 1]); i--)
		read_matters(k, events[i - 1]);
	*covered = end;
}

static void keep_address(struct keeper *k, const struct event *e)
{
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		read_matters(k, (uint32_t)e->more->at[i]);
}

static void close_section(struct keeper *k, uint32_t acquire)
{
	uint32_t release = k->m->sections->all.at[k->m->sections->at[acquire] - 1].release;

	if (release && k->m->place[release])
		keep(k, release);
}

/* Of the kept sections of a lock only the last may stay open; shared ones are taken as if not. */
static void keep_section(struct keeper *k, uint32_t event)
{
	uint32_t at = k->m->sections->at[event];

	if (!at || k->m->sections->all.at[at - 1].acquire != event)
		return;
	uint32_t *open = &k->open[k->m->sections->all.at[at - 1].lock];

	if (!*open) {
		*open = event;
	} else if (k->m->place[*open] < k->m->place[event]) {
		close_section(k, *open);
		*open = event;
	} else {
		close_section(k, event);
	}
}

/* All that the run did to the object before. */
static void keep_chain(struct keeper *k, uint32_t place)
{
	while (place && !(k->flags[place - 1] & CHAINED)) {
		k->flags[place - 1] |= CHAINED;
		keep(k, (uint32_t)k->w->run.at[place - 1]);
		place = k->source[place - 1];
	}
}

static void look_at(struct keeper *k, uint32_t event)
{
	const struct event *e = &k->index->events[event];
	uint32_t place = k->m->place[event];

	keep_needs(k, event);
	keep_address(k, e);
	keep_section(k, event);
	if (k->m->model == MODEL_MCM)
		read_matters(k, event);
	switch (e->kind) {
	case EV_BRANCH: depend(k, event); break;
	case EV_TRY_FAIL:
		if (k->source[place - 1])
			keep(k, (uint32_t)k->w->run.at[k->source[place - 1] - 1]);
		break;
	case EV_SEM_WAIT:
	case EV_SEM_FAIL:
	case EV_BARRIER_ENTER:
	case EV_BARRIER_EXIT:
	case EV_SIGNAL:
	case EV_BROADCAST: keep_chain(k, place); break;
	default: break;
	}
}

/* The bug itself: if its events come next, all before them in their threads has happened. */
static void keep_bug(struct keeper *k)
{
	for (size_t i = 0; i < k->w->bug_events.n; i++) {
		uint32_t n = (uint32_t)k->w->bug_events.at[i], position = k->index->position[n];
		const struct event *e = &k->index->events[n];

		if (bug_facts[k->w->bug].past) {
			keep(k, n);
			continue;
		}
		const uint32_t *events = k->index->threads[e->thread].events;

		while (position && !k->m->place[events[position - 1]] &&
		       index_arm(k->index, events[position - 1]))
			position--; /* it was skipped */
		if (position)
			keep(k, events[position - 1]);
		keep_needs(k, n);
		keep_address(k, e);
	}
}

/* What was found to matter of an event before the sweep came to it. */
static void look_at_value(struct keeper *k, uint32_t event)
{
	const struct event *e = &k->index->events[event];
	const uint8_t *flags = &k->flags[k->m->place[event] - 1];

	if (*flags & VALUE_MATTERS)
		depend(k, event);
	if (*flags & READ_MATTERS)
		keep_writers(k, event);
	else if (k->index->position[event] < k->covered[e->thread])
		read_matters(k, event);
}

static void sweep(struct keeper *k)
{
	for (k->at = k->w->run.n; k->at; k->at--) {
		uint32_t event = (uint32_t)k->w->run.at[k->at - 1];

		if (k->index->position[event] >= k->kept[k->index->events[event].thread])
			continue;
		look_at(k, event);
		look_at_value(k, event);
		while (k->fresh.n || k->values.n) {
			if (k->fresh.n)
				look_at(k, k->fresh.at[--k->fresh.n]);
			else
				depend(k, k->values.at[--k->values.n]);
		}
	}
}

static void take_kept(const struct keeper *k, event_run *kept, bool *matters)
{
	vec_reserve(kept, k->w->run.n);
	kept->n = 0;
	for (size_t i = 0; i < k->w->run.n; i++) {
		uint32_t n = (uint32_t)k->w->run.at[i];

		if (k->index->position[n] >= k->kept[k->index->events[n].thread])
			continue;
		matters[kept->n] = k->flags[i] & READ_MATTERS;
		kept->at[kept->n++] = n;
	}
}

bool minimise_keep(struct minimiser *m, const struct witness *w, event_run *kept)
{
	const struct index *index = m->index;
	size_t locks = symbols_count(index->symbols, CLASS_LOCK), n = w->run.n;
	struct keeper k = {.m = m, .index = index, .w = w};

	vec_extend(&m->sources, n + 1);
	vec_extend(&m->flags, n + 1);
	vec_extend(&m->matters, n + 1);
	memset(m->flags.at, 0, n * sizeof(*m->flags.at));
	k.source = m->sources.at;
	k.flags = m->flags.at;
	k.kept = mem_alloc_zero(index->thread_count + 1, sizeof(*k.kept));
	k.covered = mem_alloc_zero(index->thread_count + 1, sizeof(*k.covered));
	k.open = mem_alloc_zero(locks + 1, sizeof(*k.open));
	k.at = n + 1;
	link_run(&k);
	keep_bug(&k);
	sweep(&k);
	if (!k.failed)
		take_kept(&k, kept, m->matters.at);
	mem_free(k.kept);
	mem_free(k.covered);
	mem_free(k.open);
	vec_release(&k.writers);
	vec_release(&k.fresh);
	vec_release(&k.values);
	vec_release(&k.depends.named);
	return !k.failed;
}
