/* SPDX-License-Identifier: MIT */
/*
 * Which events of a run its bug needs: the bug's own, and what these need, and so on. What it
 * takes follows what is kept. So nothing is known of the run as a whole: of the part of it that is
 * as recorded the index knows what came before, and the part behind that is gone through.
 */
#include "model/depends.h"
#include "predict/minimise_parts.h"
#include "property/monitor.h"

#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

#define READ_MATTERS 1
#define CHAINED 2
#define VALUE_MATTERS 4
#define FLAGGED 8 /* it is in the list of those that have flags */

struct keeper {
	struct minimiser *m;
	const struct index *index;
	const struct witness *w;
	uint64_t whole; /* so many events as recorded stay, whether or not they are needed */
	size_t most;	/* events that may be kept beside these */
	size_t count;
	/* of each thread: so many of its events are kept; the reads before that position matter */
	uint32_t *kept, *covered;
	uint32_t *open; /* of each lock: the last kept acquire in the run; those before it end */
	VEC(uint32_t) writers; /* of accesses to several variables behind the recorded part */
	VEC(uint32_t) flagged;
	VEC(uint32_t) fresh;  /* kept, and not looked at yet */
	VEC(uint32_t) values; /* writes whose value matters, and that were not looked at yet */
	struct depends depends;
	bool failed;
};

/* Places in the run count from 1; 0: it is not there. */
static uint32_t place_of(const struct keeper *k, uint32_t event)
{
	if (event <= k->w->recorded)
		return event;
	uint32_t place = k->m->place[event];

	return place ? (uint32_t)k->w->recorded + place : 0;
}

static uint32_t event_at(const struct keeper *k, uint32_t place)
{
	return (uint32_t)witness_event(k->w, place - 1);
}

/* Facts of the run behind its recorded part */

/*
 * What was last done to an object: of variables the write, of others the place. The sources of each
 * place behind the recorded part: of an access to one variable the event in the run that wrote what
 * was there, or 0; to several: where in `writers` theirs are. Else the place of the event before
 * that counts, or 0: see link_object, link_holders.
 */

/* Of semaphores, barriers and conditions what came before counts; of the rest it does not. */
static bool is_chained(enum object_class class)
{
	return class == CLASS_SEMAPHORE || class == CLASS_BARRIER || class == CLASS_CONDITION;
}

static uint32_t *last_of(struct keeper *k, enum object_class class, uint32_t object)
{
	struct minimiser_last *last = &k->m->last[class];

	vec_extend(&last->of, symbols_count(k->index->symbols, class));
	vec_extend(&last->known, symbols_count(k->index->symbols, class));
	if (last->known.at[object])
		return &last->of.at[object];
	last->known.at[object] = true;
	vec_push(&last->touched, object);
	if (class == CLASS_VARIABLE) {
		last->of.at[object] = index_writer_by(k->index, object, k->w->recorded);
	} else {
		const struct index_list *list = &k->index->uses[class][object];
		uint32_t place = index_place(list, (uint32_t)k->w->recorded + 1);

		last->of.at[object] = place ? list->events[place - 1] : 0;
	}
	return &last->of.at[object];
}

static void forget_last(struct minimiser *m)
{
	for (int c = 0; c < CLASS_COUNT; c++) {
		struct minimiser_last *last = &m->last[c];

		for (size_t i = 0; i < last->touched.n; i++)
			last->known.at[last->touched.at[i]] = false;
		last->touched.n = 0;
	}
}

static void link_access(struct keeper *k, size_t i, const struct event *e)
{
	uint32_t n = (uint32_t)k->w->run.at[i], parts = index_part_count(k->index, n);
	bool writes = event_is(e, EV_STORES) && event_is(e, EV_VALUE);

	if (parts > 1)
		k->m->sources.at[i] = (uint32_t)k->writers.n;
	for (uint32_t p = 0; p < parts; p++) {
		uint32_t *last =
			last_of(k, CLASS_VARIABLE, p ? event_part(e, p).variable : e->object);

		if (parts > 1)
			vec_push(&k->writers, *last);
		else
			k->m->sources.at[i] = *last;
		if (writes)
			*last = n;
	}
}

static void link_object(struct keeper *k, size_t i, const struct event *e)
{
	enum object_class class = event_kind_class[e->kind];

	k->m->sources.at[i] = 0;
	if (!is_chained(class))
		return;
	uint32_t *last = last_of(k, class, e->object);

	k->m->sources.at[i] = *last;
	*last = (uint32_t)(k->w->recorded + i + 1);
}

/* Some thread is in these sections when the recorded part has ended. */
static const struct section *open_section(const struct keeper *k, uint32_t thread,
					  const struct section *after)
{
	return sections_next(k->m->sections, thread, (uint32_t)k->w->recorded + 1, after);
}

/* The source of a try-fail is an acquire of who holds the lock. */
static void link_holders(struct keeper *k)
{
	const struct sections *sections = k->m->sections;
	VEC(uint32_t) open = {0}; /* the acquires */

	for (uint32_t t = 0; t < k->index->thread_count; t++)
		for (const struct section *s = NULL; (s = open_section(k, t, s));)
			vec_push(&open, s->acquire);
	for (size_t i = 0; i < k->w->run.n; i++) {
		uint32_t n = (uint32_t)k->w->run.at[i], at = sections->at[n];
		const struct event *e = &k->index->events[n];

		if (at && sections->all.at[at - 1].acquire == n) {
			vec_push(&open, n);
		} else if (at) {
			size_t o = 0;

			while (o < open.n && open.at[o] != sections->all.at[at - 1].acquire)
				o++;
			if (o < open.n)
				open.at[o] = open.at[--open.n];
		}
		for (size_t o = 0; e->kind == EV_TRY_FAIL && o < open.n; o++) {
			const struct section *s = &sections->all.at[sections->at[open.at[o]] - 1];

			if (s->lock == e->object && s->thread != e->thread)
				k->m->sources.at[i] = place_of(k, open.at[o]);
		}
	}
	vec_release(&open);
}

static void link_run(struct keeper *k)
{
	bool try_fails = false;

	vec_extend(&k->m->sources, k->w->run.n + 1);
	for (size_t i = 0; i < k->w->run.n; i++) {
		const struct event *e = &k->index->events[k->w->run.at[i]];

		if (event_is(e, EV_ACCESS))
			link_access(k, i, e);
		else
			link_object(k, i, e);
		try_fails |= e->kind == EV_TRY_FAIL;
	}
	if (try_fails)
		link_holders(k);
	forget_last(k->m);
}

/* Facts of the whole run */

static uint32_t recorded_holder(const struct keeper *k, uint32_t try)
{
	const struct sections *s = k->m->sections;
	uint32_t lock = k->index->events[try].object, thread = k->index->events[try].thread;
	uint32_t i = LOWER_BOUND(at, s->first[lock], s->first[lock + 1],
				 s->all.at[s->of_lock[at]].acquire < try);

	while (i > s->first[lock]) {
		const struct section *section = &s->all.at[s->of_lock[--i]];

		if (section->thread != thread && !(section->release && section->release < try))
			return section->acquire;
	}
	return 0;
}

/* The place of what was done before to the object; of a try-fail, of an acquire of the holder. */
static uint32_t source_of(const struct keeper *k, uint32_t place)
{
	if (place > k->w->recorded)
		return k->m->sources.at[place - 1 - k->w->recorded];
	const struct event *e = &k->index->events[place];
	enum object_class class = event_kind_class[e->kind];

	if (e->kind == EV_TRY_FAIL)
		return recorded_holder(k, place);
	if (!is_chained(class))
		return 0;
	const struct index_list *list = &k->index->uses[class][e->object];
	uint32_t before = index_place(list, place);

	return before ? list->events[before - 1] : 0;
}

static uint32_t writer_of(const struct keeper *k, uint32_t read, uint32_t part)
{
	if (read <= k->w->recorded)
		return k->index->writer[k->index->parts[read] + part];
	uint32_t source = k->m->sources.at[k->m->place[read] - 1];

	return index_part_count(k->index, read) > 1 ? k->writers.at[source + part] : source;
}

static bool is_flagged(const struct keeper *k, uint32_t event, uint8_t flag)
{
	return k->m->flags[event] & flag;
}

/* False: it was before. */
static bool put_flag(struct keeper *k, uint32_t event, uint8_t flag)
{
	uint8_t *flags = &k->m->flags[event];

	if (*flags & flag)
		return false;
	if (!*flags)
		vec_push(&k->flagged, event);
	*flags |= flag | FLAGGED;
	return true;
}

/* What has to be kept */

/* The event and all of its thread before it, which comes before it in the run. */
static void keep(struct keeper *k, uint32_t event)
{
	const uint32_t *events = k->index->threads[k->index->events[event].thread].events;
	uint32_t *kept = &k->kept[k->index->events[event].thread];
	uint32_t end = k->index->position[event] + 1;

	if (!place_of(k, event))
		k->failed = true;
	if (end <= *kept)
		return;
	k->count += end - *kept;
	k->failed |= k->count > k->most;
	for (uint32_t i = *kept; i < end && !k->failed; i++)
		if (place_of(k, events[i]))
			vec_push(&k->fresh, events[i]);
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
	if (!writer || writer <= k->whole)
		return;
	keep(k, writer);
	if (place_of(k, writer) && put_flag(k, writer, VALUE_MATTERS))
		vec_push(&k->values, writer);
}

/* The read returns what it does in the run. */
static void read_matters(struct keeper *k, uint32_t read)
{
	if (read <= k->whole || !place_of(k, read) ||
	    !event_is(&k->index->events[read], EV_RETURNS) || !put_flag(k, read, READ_MATTERS))
		return;
	for (uint32_t i = 0; i < index_part_count(k->index, read); i++)
		keep_writer(k, writer_of(k, read, i));
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
	for (uint32_t i = *covered; i < end; i++)
		read_matters(k, events[i]);
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

	if (release && place_of(k, release))
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
	} else if (place_of(k, *open) < place_of(k, event)) {
		close_section(k, *open);
		*open = event;
	} else {
		close_section(k, event);
	}
}

/* All that the run did to the object before. */
static void keep_chain(struct keeper *k, uint32_t place)
{
	while (place > k->whole && !k->failed && put_flag(k, event_at(k, place), CHAINED)) {
		keep(k, event_at(k, place));
		place = source_of(k, place);
	}
}

static void look_at(struct keeper *k, uint32_t event)
{
	const struct event *e = &k->index->events[event];
	uint32_t place = place_of(k, event), source;

	keep_needs(k, event);
	keep_address(k, e);
	keep_section(k, event);
	if (k->m->model == MODEL_MCM)
		read_matters(k, event);
	switch (e->kind) {
	case EV_BRANCH: depend(k, event); break;
	case EV_TRY_FAIL:
		source = source_of(k, place);
		if (source)
			keep(k, event_at(k, source));
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
	for (size_t i = 0; k->w->monitor && i < k->w->run.n; i++)
		if (monitor_hears(k->w->monitor, (uint32_t)k->w->run.at[i]))
			keep(k, (uint32_t)k->w->run.at[i]);
	for (size_t i = 0; i < k->w->bug_events.n; i++) {
		uint32_t n = (uint32_t)k->w->bug_events.at[i], position = k->index->position[n];
		const struct event *e = &k->index->events[n];

		if (bug_facts[k->w->bug].past) {
			keep(k, n);
			continue;
		}
		const uint32_t *events = k->index->threads[e->thread].events;

		while (position && !place_of(k, events[position - 1]) &&
		       index_arm(k->index, events[position - 1]))
			position--; /* it was skipped */
		if (position)
			keep(k, events[position - 1]);
		keep_needs(k, n);
		keep_address(k, e);
	}
}

/* What stays in any case, as if it were kept; the sections that are open at its end count. */
static void keep_whole(struct keeper *k)
{
	for (uint32_t t = 0; k->whole && t < k->index->thread_count; t++) {
		k->kept[t] = k->covered[t] = index_come_by(k->index, t, k->whole);
		for (const struct section *s = NULL; (s = open_section(k, t, s));)
			keep_section(k, s->acquire);
	}
}

static void keep_all(struct keeper *k)
{
	keep_whole(k);
	keep_bug(k);
	while ((k->fresh.n || k->values.n) && !k->failed) {
		if (k->fresh.n)
			look_at(k, k->fresh.at[--k->fresh.n]);
		else
			depend(k, k->values.at[--k->values.n]);
	}
}

/* Of the recorded part, in the order of the trace. */
static void take_recorded(const struct keeper *k, event_run *kept)
{
	for (uint32_t t = 0; k->whole < k->w->recorded && t < k->index->thread_count; t++) {
		const uint32_t *events = k->index->threads[t].events;

		for (uint32_t i = 0; i < k->kept[t] && events[i] <= k->w->recorded; i++)
			vec_push(kept, events[i]);
	}
	if (kept->n)
		qsort(kept->at, kept->n, sizeof(*kept->at), sorted_compare_u64);
}

static void take_kept(struct keeper *k, event_run *kept)
{
	kept->n = 0;
	take_recorded(k, kept);
	for (size_t i = 0; i < k->w->run.n; i++) {
		uint32_t n = (uint32_t)k->w->run.at[i];

		if (k->index->position[n] < k->kept[k->index->events[n].thread])
			vec_push(kept, n);
	}
	vec_extend(&k->m->matters, kept->n + 1);
	for (size_t i = 0; i < kept->n; i++)
		k->m->matters.at[i] = is_flagged(k, (uint32_t)kept->at[i], READ_MATTERS);
}

bool minimise_keep(struct minimiser *m, const struct witness *w, bool whole, size_t most,
		   event_run *kept)
{
	const struct index *index = m->index;
	size_t locks = symbols_count(index->symbols, CLASS_LOCK);
	struct keeper k = {.m = m, .index = index, .w = w, .most = most};

	k.whole = whole ? w->recorded : 0;
	k.kept = mem_alloc_zero(index->thread_count + 1, sizeof(*k.kept));
	k.covered = mem_alloc_zero(index->thread_count + 1, sizeof(*k.covered));
	k.open = mem_alloc_zero(locks + 1, sizeof(*k.open));
	link_run(&k);
	keep_all(&k);
	if (!k.failed)
		take_kept(&k, kept);
	for (size_t i = 0; i < k.flagged.n; i++)
		m->flags[k.flagged.at[i]] = 0;
	mem_free(k.kept);
	mem_free(k.covered);
	mem_free(k.open);
	vec_release(&k.writers);
	vec_release(&k.flagged);
	vec_release(&k.fresh);
	vec_release(&k.values);
	vec_release(&k.depends.named);
	return !k.failed;
}
