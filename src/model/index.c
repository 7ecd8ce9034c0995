/* SPDX-License-Identifier: MIT */
#include "model/index.h"

#include "base/sorted.h"
#include "model/regions.h"
#include "model/sections.h"
#include "trace/check.h"
#include "trace/expr.h"

#include <stdlib.h>
#include <string.h>

/* Events and everything behind them; *parts becomes the number of parts of all accesses. */
static int read_events(struct index *index, uint64_t *parts, struct err *err)
{
	struct check *check = check_new(index->reader);
	VEC(struct event) events = {0};
	struct batch batch;
	int got;

	vec_extend(&events, 1);
	while ((got = reader_next(index->reader, &batch, err)) > 0) {
		if (events.n + batch.n > UINT32_MAX) {
			got = err_set(err, ERR_LIMIT, "%s: more than %lu events in one index",
				      reader_name(index->reader), (unsigned long)UINT32_MAX - 1);
			break;
		}
		check_batch(check, &batch);
		for (size_t i = 0; i < batch.n && !check_has_failed(check); i++) {
			struct event e = event_copy(&index->memory, &batch.at[i]);

			*parts += event_part_count(&e);
			vec_push(&events, e);
		}
	}
	/* an event that cannot happen comes before whatever ended the reading */
	if (check_finish(check, err) < 0)
		got = err->code;
	check_free(check);
	if (got >= 0 && *parts > UINT32_MAX)
		got = err_set(err, ERR_LIMIT, "%s: more than %lu variables in all accesses",
			      reader_name(index->reader), (unsigned long)UINT32_MAX);
	index->events = events.at;
	index->count = (uint32_t)events.n - 1;
	return got;
}

/* What index_new_bare keeps of a trace. */
struct bare {
	struct index *index;
	VEC(struct event) events;
	VEC(uint64_t) numbers;	/* in the trace, of each of them */
	VEC(uint64_t) position; /* of each thread: its events so far, … */
	VEC(uint64_t) scope;	/* … and the last one that a branch governs alone */
	bool governed;		/* some event that would be kept */
};

/* The number of an event that woke another one. */
static void number_anew(struct bare *b, struct event *e)
{
	if (e->kind != EV_WOKEN || !e->more->by)
		return;
	struct event_more *more = arena_copy(&b->index->memory, e->more, sizeof(*more));

	more->by = LOWER_BOUND(i, 0, b->numbers.n, b->numbers.at[i] < e->more->by);
	e->more = more;
}

static void keep_bare(struct bare *b, const struct event *e, uint64_t number)
{
	vec_extend(&b->position, (size_t)e->thread + 1);
	vec_extend(&b->scope, (size_t)e->thread + 1);
	uint64_t position = ++b->position.at[e->thread], *scope = &b->scope.at[e->thread];

	if (e->kind == EV_BRANCH && event_scope(e) && position + event_scope(e) > *scope)
		*scope = position + event_scope(e);
	if (e->kind == EV_BRANCH || event_is(e, EV_ACCESS)) {
		b->index->left_out++;
		return;
	}
	struct event copy = event_copy(&b->index->memory, e);

	number_anew(b, &copy);
	b->governed |= position <= *scope;
	vec_push(&b->events, copy);
	vec_push(&b->numbers, number);
}

/* 1: all was read. 0: nothing can be left out. */
static int read_bare(struct index *index, struct err *err)
{
	struct check *check = check_new(index->reader);
	struct bare b = {.index = index};
	struct batch batch;
	int got = 0;

	vec_extend(&b.events, 1);
	vec_extend(&b.numbers, 1);
	while (!b.governed && (got = reader_next(index->reader, &batch, err)) > 0) {
		check_batch(check, &batch);
		for (size_t i = 0; i < batch.n && !check_has_failed(check); i++)
			keep_bare(&b, &batch.at[i], batch.first + i);
		if (b.events.n > UINT32_MAX)
			b.governed = true; /* index_new says so */
	}
	if (!b.governed && check_finish(check, err) < 0)
		got = err->code;
	check_free(check);
	vec_release(&b.numbers);
	vec_release(&b.position);
	vec_release(&b.scope);
	index->events = b.events.at;
	index->count = (uint32_t)b.events.n - 1;
	return b.governed ? 0 : got < 0 ? got : 1;
}

static void *new_zero(struct index *index, size_t n, size_t size)
{
	void *got = arena_alloc(&index->memory, n * size);

	if (n)
		memset(got, 0, n * size);
	return got;
}

static uint32_t *new_numbers(struct index *index, size_t n)
{
	return new_zero(index, n, sizeof(uint32_t));
}

static void index_threads(struct index *index)
{
	index->thread_count = (uint32_t)symbols_count(index->symbols, CLASS_THREAD);
	index->threads = new_zero(index, index->thread_count, sizeof(*index->threads));
	index->position = new_numbers(index, (size_t)index->count + 1);
	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		index->position[n] = index->threads[e->thread].count++;
		if (e->kind == EV_FORK && !index->threads[e->object].fork)
			index->threads[e->object].fork = n;
	}
	for (uint32_t t = 0; t < index->thread_count; t++)
		index->threads[t].events = new_numbers(index, index->threads[t].count);
	for (uint32_t n = 1; n <= index->count; n++)
		index->threads[index->events[n].thread].events[index->position[n]] = n;
}

/* The first round over the events counts, to know how long each list gets; the second fills. */
static void add_use(struct index *index, enum object_class class, uint32_t object, uint32_t n)
{
	struct index_list *list = &index->uses[class][object];

	if (!list->events)
		list->count++;
	else if (!list->count || list->events[list->count - 1] != n)
		list->events[list->count++] = n;
}

static void add_uses(struct index *index)
{
	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		if (event_is(e, EV_ACCESS))
			for (uint32_t i = 0; i < event_part_count(e); i++)
				add_use(index, CLASS_VARIABLE, event_part(e, i).variable, n);
		else if (event_kind_class[e->kind] != CLASS_NONE)
			add_use(index, event_kind_class[e->kind], e->object, n);
		if (e->kind == EV_WAIT || e->kind == EV_WOKEN)
			add_use(index, CLASS_LOCK, e->more->lock, n);
	}
}

static void index_uses(struct index *index)
{
	for (int class = 0; class < CLASS_COUNT; class ++)
		index->uses[class] = new_zero(index, symbols_count(index->symbols, class),
					      sizeof(struct index_list));
	add_uses(index);
	for (int class = 0; class < CLASS_COUNT; class ++) {
		for (size_t i = 0; i < symbols_count(index->symbols, class); i++) {
			struct index_list *list = &index->uses[class][i];

			list->events = new_numbers(index, list->count);
			list->count = 0;
		}
	}
	add_uses(index);
}

static void index_writers(struct index *index, uint64_t parts)
{
	size_t variables = symbols_count(index->symbols, CLASS_VARIABLE);
	uint32_t *last = mem_alloc_zero(variables, sizeof(*last));
	uint32_t part = 0;

	index->parts = new_numbers(index, (size_t)index->count + 2);
	index->writer = new_numbers(index, parts);
	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];
		bool writes = event_is(e, EV_STORES) && event_is(e, EV_VALUE);

		index->parts[n] = part;
		for (uint32_t i = 0; i < event_part_count(e); i++) {
			uint32_t variable = event_part(e, i).variable;

			index->writer[part++] = last[variable];
			if (writes)
				last[variable] = n;
		}
	}
	index->parts[index->count + 1] = part;
	mem_free(last);
}

static int compare_wakes(const void *a, const void *b)
{
	const struct index_wake *x = a, *y = b;

	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	return x->woken < y->woken ? -1 : x->woken > y->woken;
}

static void index_wakes(struct index *index)
{
	VEC(struct index_wake) wakes = {0};

	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		if (e->kind == EV_WOKEN && e->more->by) {
			struct index_wake wake = {(uint32_t)e->more->by, n};

			vec_push(&wakes, wake);
		}
	}
	if (wakes.n)
		qsort(wakes.at, wakes.n, sizeof(*wakes.at), compare_wakes);
	index->wakes = arena_copy(&index->memory, wakes.at, wakes.n * sizeof(*wakes.at));
	index->wake_count = (uint32_t)wakes.n;
	vec_release(&wakes);
}

/* Recorded rounds: each barrier's enters in order, as many at a time as it has parties. */
static void index_rounds(struct index *index)
{
	size_t barriers = symbols_count(index->symbols, CLASS_BARRIER);
	uint32_t *last = mem_alloc(index->thread_count * sizeof(*last));

	if (barriers)
		index->round = new_numbers(index, (size_t)index->count + 1);
	for (size_t b = 0; b < barriers; b++) {
		const struct index_list *list = &index->uses[CLASS_BARRIER][b];
		uint32_t parties = index->symbols->barriers.at[b].parties;
		uint32_t entered = 0;

		ASSERT(parties || !list->count);
		for (uint32_t i = 0; i < list->count; i++) {
			const struct event *e = &index->events[list->events[i]];

			if (e->kind == EV_BARRIER_ENTER)
				last[e->thread] = entered++ / parties;
			index->round[list->events[i]] = last[e->thread];
		}
	}
	mem_free(last);
}

static bool has_scopes(const struct index *index)
{
	for (uint32_t n = 1; n <= index->count; n++)
		if (event_scope(&index->events[n]))
			return true;
	return false;
}

/* Inner scopes come later, and have the last word. */
static void index_arms(struct index *index)
{
	if (!has_scopes(index))
		return;
	index->arm = new_zero(index, (size_t)index->count + 1, sizeof(*index->arm));
	for (uint32_t n = 1; n <= index->count; n++) {
		const uint32_t *events = index->threads[index->events[n].thread].events;
		uint32_t scope = index_scope(index, n);

		for (uint32_t i = 1; i <= scope; i++)
			index->arm[events[index->position[n] + i]] = n;
	}
}

static void start(struct index *index)
{
	index->sections = arena_alloc(&index->memory, sizeof(*index->sections));
	*index->sections = NULL;
	index->regions = arena_alloc(&index->memory, sizeof(*index->regions));
	*index->regions = NULL;
}

/* All that follows from the events. */
static void index_all(struct index *index, uint64_t parts)
{
	index_threads(index);
	index_uses(index);
	index_writers(index, parts);
	index_wakes(index);
	index_rounds(index);
	index_arms(index);
}

struct index *index_new(struct reader *r, struct err *err)
{
	struct index *index = mem_alloc_zero(1, sizeof(*index));
	uint64_t parts = 0;

	index->reader = r;
	index->symbols = reader_symbols(r);
	start(index);
	if (read_events(index, &parts, err) < 0) {
		index_free(index);
		return NULL;
	}
	index_all(index, parts);
	return index;
}

struct index *index_new_bare(struct reader *r, struct err *err)
{
	struct index *index = mem_alloc_zero(1, sizeof(*index));

	err->code = 0;
	index->reader = r;
	index->symbols = reader_symbols(r);
	start(index);
	if (read_bare(index, err) <= 0) {
		index_free(index);
		return NULL;
	}
	index_all(index, 0);
	return index;
}

struct index *index_derive(const struct index *of, struct event *events, uint32_t count,
			   struct arena memory)
{
	struct index *index = mem_alloc_zero(1, sizeof(*index));
	uint64_t parts = 0;

	index->memory = memory;
	index->symbols = of->symbols;
	index->events = events;
	index->count = count;
	start(index);
	for (uint32_t n = 1; n <= count; n++)
		parts += event_part_count(&events[n]);
	index_all(index, parts);
	return index;
}

void index_free(struct index *index)
{
	if (!index)
		return;
	reader_close(index->reader);
	sections_free(*index->sections);
	regions_free(*index->regions);
	mem_free(index->events);
	arena_release(&index->memory);
	mem_free(index);
}

uint32_t index_first_wake(const struct index *index, uint32_t by)
{
	return LOWER_BOUND(i, 0, index->wake_count, index->wakes[i].by < by);
}

bool index_is_sure(const struct index *index, uint32_t earlier, uint32_t later)
{
	for (uint32_t b = index_arm(index, earlier); b; b = index_arm(index, b))
		if (index->position[later] - index->position[b] > index_scope(index, b))
			return false;
	return true;
}

uint32_t index_come_by(const struct index *index, uint32_t thread, uint64_t recorded)
{
	const struct index_list all = {index->threads[thread].events, index->threads[thread].count};

	return index_place(&all, (uint32_t)recorded + 1);
}

void index_come_to(const struct index *index, uint64_t recorded, const uint64_t *run, size_t n,
		   uint32_t *done)
{
	for (uint32_t t = 0; recorded && t < index->thread_count; t++)
		done[t] = index_come_by(index, t, recorded);
	for (size_t i = 0; i < n; i++)
		done[index->events[run[i]].thread] = index->position[run[i]] + 1;
	for (uint32_t t = 0; index->arm && t < index->thread_count; t++) {
		const uint32_t *events = index->threads[t].events;
		uint32_t scope = done[t] ? index_scope(index, events[done[t] - 1]) : 0;

		if (scope && !event_blocks(&index->events[events[done[t]]]))
			done[t] += scope;
	}
}

uint32_t index_place(const struct index_list *list, uint32_t n)
{
	return LOWER_BOUND(i, 0, list->count, list->events[i] < n);
}

static bool writes_it(const struct event *e)
{
	return event_is(e, EV_STORES) && event_is(e, EV_VALUE);
}

uint32_t index_writer_by(const struct index *index, uint32_t variable, uint64_t recorded)
{
	const struct index_list *list = &index->uses[CLASS_VARIABLE][variable];
	uint32_t place = recorded ? index_place(list, (uint32_t)recorded + 1) : 0;
	uint32_t last = place ? list->events[place - 1] : 0;

	if (!last || writes_it(&index->events[last]))
		return last;
	for (uint32_t k = 0; k < index_part_count(index, last); k++)
		if (event_part(&index->events[last], k).variable == variable)
			return index->writer[index->parts[last] + k];
	return 0;
}

static uint32_t source_in(const struct index *index, uint64_t recorded, const uint64_t *run,
			  size_t n, uint32_t variable)
{
	while (n--) {
		const struct event *e = &index->events[run[n]];

		for (uint32_t i = 0; writes_it(e) && i < event_part_count(e); i++)
			if (event_part(e, i).variable == variable)
				return (uint32_t)run[n];
	}
	return index_writer_by(index, variable, recorded);
}

bool index_reads_other(const struct index *index, uint64_t recorded, const uint64_t *run, size_t n,
		       uint32_t read)
{
	size_t place = 0;

	while (place < n && run[place] != read)
		place++;
	if (place == n)
		return false;
	for (uint32_t i = 0; i < index_part_count(index, read); i++)
		if (source_in(index, recorded, run, place,
			      event_part(&index->events[read], i).variable) !=
		    index->writer[index->parts[read] + i])
			return true;
	return false;
}

static bool is_atomic(const struct index *index, const struct event *e, uint32_t variable)
{
	return e->kind != EV_FREE &&
	       (e->kind == EV_RMW || e->order != ORDER_PLAIN ||
		symbols_variable(index->symbols, variable)->flags & VARIABLE_VOLATILE);
}

static bool may_race(const struct event *e)
{
	return event_is(e, EV_ACCESS) && e->kind != EV_ALLOC && e->kind != EV_EXTERNAL &&
	       e->order != ORDER_WATCH;
}

bool index_conflict(const struct index *index, uint32_t a, uint32_t b)
{
	const struct event *x = &index->events[a], *y = &index->events[b];

	if (x->thread == y->thread || !may_race(x) || !may_race(y) ||
	    !(event_is(x, EV_STORES) || event_is(y, EV_STORES)))
		return false;
	for (uint32_t i = 0; i < event_part_count(x); i++) {
		uint32_t variable = event_part(x, i).variable;

		if (is_atomic(index, x, variable) && is_atomic(index, y, variable))
			continue;
		for (uint32_t j = 0; j < event_part_count(y); j++)
			if (event_part(y, j).variable == variable)
				return true;
	}
	return false;
}
