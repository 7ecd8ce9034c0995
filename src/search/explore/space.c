/* SPDX-License-Identifier: MIT */
#include "search/explore/space.h"

#include "model/depends.h"
#include "trace/expr.h"

#include <string.h>

static void *new_array(struct space *s, size_t n, size_t size)
{
	void *got = arena_alloc(&s->memory, n * size);

	if (n)
		memset(got, 0, n * size);
	return got;
}

uint32_t space_value_token(struct space *s, int64_t value)
{
	return 1 + intern_add(&s->values, (const char *)&value, sizeof(value));
}

int64_t space_token_value(const struct space *s, uint32_t token)
{
	int64_t value;

	memcpy(&value, intern_text(&s->values, token - 1), sizeof(value));
	return value;
}

static void read_depends(struct space *s, uint32_t n, struct depends *scratch)
{
	struct space_depends *d = &s->depends[n];

	depends_of(&s->index->events[n], scratch);
	d->on_all = scratch->on_all;
	d->count = (uint32_t)scratch->named.n;
	d->named = arena_copy(&s->memory, scratch->named.at, d->count * sizeof(*d->named));
}

static bool is_evaluated(const struct space *s, const struct event *e)
{
	return s->model == MODEL_VALUES && e->more && e->more->expr;
}

static bool is_writer(const struct event *e)
{
	return event_is(e, EV_STORES) && event_is(e, EV_VALUE);
}

static void read_tokens(struct space *s, uint32_t n)
{
	const struct event *e = &s->index->events[n];
	bool by_writer = s->model == MODEL_PREDICTABLE;

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		uint32_t p = s->index->parts[n] + i;

		if (event_is(e, EV_RETURNS))
			s->expected[p] = by_writer ? 1 + s->index->writer[p]
						   : space_value_token(s, part.value);
		if (is_writer(e))
			s->written[p] =
				by_writer ? 1 + n
					  : space_value_token(s, e->kind == EV_RMW ? part.written
										   : part.value);
		if (e->kind == EV_ALLOC)
			s->variables[part.variable].alloc = n;
		if (e->kind == EV_FREE)
			s->variables[part.variable].free = n;
		if (e->kind == EV_EXTERNAL)
			s->variables[part.variable].external = true;
	}
}

struct liveness {
	uint32_t *all_end; /* of each thread: all its reads before this position are live */
	bool grew;
};

static void make_live(struct space *s, struct liveness *l, uint32_t n)
{
	const struct event *e = &s->index->events[n];

	if (s->live[n] || !event_is(e, EV_RETURNS))
		return;
	s->live[n] = l->grew = true;
	for (uint32_t i = 0; i < event_part_count(e); i++)
		s->variables[event_part(e, i).variable].live = true;
}

/* Does it matter what the event depends on? */
static bool decides(const struct space *s, const struct event *e)
{
	if (e->kind == EV_BRANCH)
		return true;
	if (is_writer(e))
		for (uint32_t i = 0; i < event_part_count(e); i++)
			if (s->variables[event_part(e, i).variable].live)
				return true;
	return false;
}

/* What event n asks for becomes live. */
static void mark_asked(struct space *s, struct liveness *l, uint32_t n)
{
	const struct event *e = &s->index->events[n];
	const struct index_thread *thread = &s->index->threads[e->thread];
	const struct space_depends *d = &s->depends[n];
	uint32_t end = s->index->position[n] + 1; /* an rmw may depend on itself */

	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		make_live(s, l, (uint32_t)e->more->at[i]);
	if (!decides(s, e))
		return;
	for (uint32_t i = 0; i < d->count; i++) {
		make_live(s, l, d->named[i]);
		s->value_used[d->named[i]] |= is_evaluated(s, e);
	}
	if (!d->on_all)
		return;
	for (; l->all_end[e->thread] < end; l->all_end[e->thread]++)
		make_live(s, l, thread->events[l->all_end[e->thread]]);
	if (s->threads[e->thread].changed_end < end)
		s->threads[e->thread].changed_end = end;
}

/*
 * Reads are live if a guard depends on them, or a write that a live read may see. Under
 * mcm and said all are: a changed read ends its thread, or the execution.
 */
static void find_live(struct space *s)
{
	const struct index *index = s->index;
	struct liveness l = {
		.all_end = mem_alloc_zero(index->thread_count, sizeof(*l.all_end)),
	};

	if (s->model == MODEL_MCM || s->model == MODEL_SAID)
		for (uint32_t n = 1; n <= index->count; n++)
			make_live(s, &l, n);
	do {
		l.grew = false;
		for (uint32_t n = 1; n <= index->count; n++)
			mark_asked(s, &l, n);
	} while (l.grew);
	for (size_t v = 0; v < s->variable_count; v++) {
		const struct index_list *list = &index->uses[CLASS_VARIABLE][v];
		struct space_variable *variable = &s->variables[v];

		variable->reads = new_array(s, list->count, sizeof(*variable->reads));
		for (uint32_t i = 0; i < list->count; i++)
			if (s->live[list->events[i]])
				variable->reads[variable->read_count++] = list->events[i];
	}
	mem_free(l.all_end);
}

/* Event n names this read: its result gets a place, up to there at least. */
static void keep_result(struct space *s, uint32_t read, uint32_t n, bool value)
{
	uint32_t end = s->index->position[n] + 1;

	if (read == n) /* an rmw's own result is at hand */
		return;
	struct space_result *r = &s->results.at[s->result_of[read] - 1];

	if (r->end < end)
		r->end = end;
	if (value && r->value_end < end)
		r->value_end = end;
}

static void find_results(struct space *s)
{
	const struct index *index = s->index;

	for (uint32_t t = 0; t < index->thread_count; t++) {
		s->threads[t].first_result = (uint32_t)s->results.n;
		for (uint32_t i = 0; i < index->threads[t].count; i++) {
			uint32_t n = index->threads[t].events[i];
			const struct event *e = &index->events[n];

			if (event_is(e, EV_RETURNS)) {
				struct space_result r = {.read = n};

				vec_push(&s->results, r);
				s->result_of[n] = (uint32_t)s->results.n;
			}
			for (uint32_t j = 0; decides(s, e) && j < s->depends[n].count; j++)
				keep_result(s, s->depends[n].named[j], n, is_evaluated(s, e));
			for (uint32_t j = 0; e->more && j < e->more->at_count; j++)
				keep_result(s, (uint32_t)e->more->at[j], n, false);
		}
		s->threads[t].result_end = (uint32_t)s->results.n;
	}
}

struct layout {
	uint32_t words;
	uint32_t used; /* bits of the last word */
};

static uint32_t bits_for(uint64_t most)
{
	return most ? 64 - (uint32_t)__builtin_clzll(most) : 1;
}

static struct field new_field(struct layout *l, uint32_t bits)
{
	if (l->used + bits > 64) {
		l->words++;
		l->used = 0;
	}
	struct field f = {.mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX,
			  .word = l->words - 1,
			  .shift = l->used};

	l->used += bits;
	return f;
}

/* Its writes may leave values that are not in the trace. */
static bool is_computed(const struct space *s, size_t variable)
{
	const struct index_list *list = &s->index->uses[CLASS_VARIABLE][variable];

	for (uint32_t i = 0; i < list->count; i++)
		if (is_evaluated(s, &s->index->events[list->events[i]]))
			return true;
	return false;
}

static bool is_written(const struct space *s, size_t variable)
{
	const struct index_list *list = &s->index->uses[CLASS_VARIABLE][variable];

	for (uint32_t i = 0; i < list->count; i++)
		if (is_writer(&s->index->events[list->events[i]]))
			return true;
	return false;
}

/* Some signal or broadcast wakes the thread, now and then. */
static bool is_woken(const struct index *index, uint32_t thread)
{
	for (uint32_t i = 0; i < index->wake_count; i++)
		if (index->events[index->wakes[i].woken].thread == thread)
			return true;
	return false;
}

#define COMPUTED_BITS 32 /* as many values as can be numbered */

static void lay_out(struct space *s)
{
	struct layout l = {.words = 1};
	bool by_writer = s->model == MODEL_PREDICTABLE;
	uint32_t token_bits =
		bits_for(by_writer ? (uint64_t)s->index->count + 1 : s->values.strings.n);
	/* in mcm and said a thread with a changed read goes no further: nothing to remember */
	bool remembers = s->model != MODEL_MCM && s->model != MODEL_SAID;

	for (uint32_t t = 0; t < s->index->thread_count; t++) {
		struct space_thread *thread = &s->threads[t];

		thread->position = new_field(&l, bits_for(s->index->threads[t].count));
		thread->stopped = new_field(&l, 1);
		if (s->early && is_woken(s->index, t))
			thread->missed = new_field(&l, 1);
		if (thread->changed_end && remembers)
			thread->changed = new_field(&l, 1);
	}
	for (size_t v = 0; v < s->variable_count; v++)
		if (s->variables[v].read_count && is_written(s, v))
			s->variables[v].token =
				new_field(&l, is_computed(s, v) ? COMPUTED_BITS : token_bits);
	for (size_t i = 0; i < s->results.n; i++) {
		struct space_result *r = &s->results.at[i];

		if (!r->end || !remembers)
			continue;
		r->changed = new_field(&l, 1);
		if (r->value_end)
			r->token = new_field(&l, COMPUTED_BITS);
	}
	for (uint32_t n = 1; s->model == MODEL_VALUES && n <= s->index->count; n++)
		if (index_scope(s->index, n))
			s->skipped[n] = new_field(&l, 1);
	s->words = l.words;
}

struct space *space_new(const struct index *index, enum model model, bool early)
{
	struct space *s = mem_alloc_zero(1, sizeof(*s));
	size_t events = (size_t)index->count + 1, parts = index->parts[index->count + 1];
	struct depends depends = {0};

	s->index = index;
	s->model = model;
	s->early = early;
	s->locks = locksets_new(index);
	s->variable_count = symbols_count(index->symbols, CLASS_VARIABLE);
	s->threads = new_array(s, index->thread_count, sizeof(*s->threads));
	s->variables = new_array(s, s->variable_count, sizeof(*s->variables));
	s->depends = new_array(s, events, sizeof(*s->depends));
	s->result_of = new_array(s, events, sizeof(*s->result_of));
	s->live = new_array(s, events, sizeof(*s->live));
	s->value_used = new_array(s, events, sizeof(*s->value_used));
	s->skipped = new_array(s, index->arm ? events : 0, sizeof(*s->skipped));
	s->expected = new_array(s, parts, sizeof(*s->expected));
	s->written = new_array(s, parts, sizeof(*s->written));
	for (size_t v = 0; v < s->variable_count; v++)
		s->variables[v].start =
			model == MODEL_PREDICTABLE
				? 1
				: space_value_token(s, symbols_variable(index->symbols, v)->init);
	for (uint32_t n = 1; n <= index->count; n++) {
		read_depends(s, n, &depends);
		read_tokens(s, n);
	}
	vec_release(&depends.named);
	find_live(s);
	find_results(s);
	lay_out(s);
	return s;
}

void space_free(struct space *s)
{
	if (!s)
		return;
	locksets_free(s->locks);
	intern_release(&s->values);
	vec_release(&s->results);
	arena_release(&s->memory);
	mem_free(s);
}
