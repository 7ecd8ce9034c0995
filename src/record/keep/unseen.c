/* SPDX-License-Identifier: MIT */
#include "record/keep/unseen.h"

#include "base/sorted.h"

void unseen_init(struct unseen *u, uint32_t threads, size_t variables, struct libraries *libraries)
{
	*u = (struct unseen){.thread_count = threads};
	u->threads = mem_alloc_zero((size_t)threads + 1, sizeof(*u->threads));
	u->variables = mem_alloc_zero(variables + 1, sizeof(*u->variables));
	kept_init(&u->kept, threads, libraries);
	reached_init(&u->reached);
}

void unseen_release(struct unseen *u)
{
	for (uint32_t t = 0; t < u->thread_count; t++)
		vec_release(&u->threads[t].stretches);
	mem_free(u->threads);
	mem_free(u->variables);
	vec_release(&u->changes);
	kept_order_release(&u->order);
	kept_release(&u->kept);
	reached_release(&u->reached);
}

/* Stretches */

void unseen_mark(struct unseen *u)
{
	u->era++;
}

void unseen_ends(struct unseen *u, uint32_t thread, uint64_t time)
{
	struct unseen_thread *t = &u->threads[thread];

	if (t->stretches.n && t->stretches.at[t->stretches.n - 1].end == UINT64_MAX)
		t->stretches.at[t->stretches.n - 1].end = time;
}

void unseen_begins(struct unseen *u, uint32_t thread, uint64_t time)
{
	struct unseen_stretch s = {time, UINT64_MAX};

	unseen_ends(u, thread, time);
	vec_push(&u->threads[thread].stretches, s);
}

void unseen_forget(struct unseen *u)
{
	for (uint32_t i = 0; i < u->thread_count; i++) {
		struct unseen_thread *t = &u->threads[i];
		size_t n = t->stretches.n;

		if (n && t->stretches.at[n - 1].end == UINT64_MAX) {
			t->stretches.at[0] = t->stretches.at[n - 1];
			t->stretches.n = 1;
		} else {
			t->stretches.n = 0;
		}
	}
}

/* The first that ends behind that time; NULL: none. */
static const struct unseen_stretch *first_behind(const struct unseen_thread *t, uint64_t time)
{
	size_t n = t->stretches.n;
	size_t at = LOWER_BOUND(i, (size_t)0, n, t->stretches.at[i].end <= time);

	return at < n ? &t->stretches.at[at] : NULL;
}

/* Changes */

void unseen_born(struct unseen *u, uint32_t variable, uint64_t time)
{
	u->variables[variable] =
		(struct unseen_variable){.time = time, .settled = time, .era = u->era};
}

void unseen_accessed(struct unseen *u, uint32_t variable, uint64_t time)
{
	struct unseen_variable *v = &u->variables[variable];

	if (v->era != u->era)
		v->settled = v->time;
	v->time = time;
	v->era = u->era;
	v->accessed = true;
}

/* The time up to which everything is before any access that comes now. */
static uint64_t settled(const struct unseen *u, uint32_t variable)
{
	const struct unseen_variable *v = &u->variables[variable];

	return v->era == u->era ? v->settled : v->time;
}

/*
 * In the stretch; at its end if it has one, so that all that it may have changed is one event.
 * Behind the last access it tells the change; before that, when others seem to have looked in
 * between, that there may have been one.
 */
static void add_change(struct unseen *u, uint32_t thread, const struct unseen_stretch *s,
		       uint32_t variable, uint64_t value)
{
	uint64_t last = u->variables[variable].time;
	struct unseen_change c = {.thread = thread, .variable = variable, .value = value};

	if (s->end == UINT64_MAX)
		c.time = s->begin > last ? s->begin : last;
	else
		c.time = s->end - 1;
	c.changes = c.time >= last;
	vec_push(&u->changes, c);
}

void unseen_changed(struct unseen *u, uint32_t variable, uint64_t value)
{
	for (uint32_t i = 0; i < u->thread_count; i++) {
		const struct unseen_thread *t = &u->threads[i];
		const struct unseen_stretch *first = first_behind(t, settled(u, variable));

		if (!first)
			continue;
		const struct unseen_stretch *last = &t->stretches.at[t->stretches.n - 1];

		add_change(u, i, first, variable, value);
		if (last != first)
			add_change(u, i, last, variable, value);
	}
}

void unseen_first_read(struct unseen *u, uint32_t variable, uint64_t value)
{
	for (uint32_t i = 0; i < u->thread_count; i++) {
		const struct unseen_thread *t = &u->threads[i];
		const struct unseen_stretch *last =
			t->stretches.n ? &t->stretches.at[t->stretches.n - 1] : NULL;

		if (last && last->end > settled(u, variable))
			add_change(u, i, last, variable, value);
	}
}

/* When they are due */

/*
 * Changes are sorted by time, thread, variable; then those that are changes come last, since what
 * is the same in all else is told once: if one of them is a change, as that. There can be millions,
 * so it is a radix sort, which keeps the order of those that are the same in all this.
 */
#define DIGIT_BITS 11
#define DIGITS ((size_t)1 << DIGIT_BITS)

/* Threads are below 2^31. */
static uint64_t key_of(const struct unseen_change *c, bool by_time)
{
	return by_time ? c->time
		       : (uint64_t)c->thread << 33 | (uint64_t)c->variable << 1 | c->changes;
}

static size_t digit_of(const struct unseen_change *c, bool by_time, unsigned shift)
{
	return key_of(c, by_time) >> shift & (DIGITS - 1);
}

static void sort_digit(const struct unseen_change *from, struct unseen_change *to, size_t n,
		       bool by_time, unsigned shift)
{
	size_t places[DIGITS] = {0}, place = 0;

	for (size_t i = 0; i < n; i++)
		places[digit_of(&from[i], by_time, shift)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t count = places[d];

		places[d] = place;
		place += count;
	}
	for (size_t i = 0; i < n; i++)
		to[places[digit_of(&from[i], by_time, shift)]++] = from[i];
}

static void sort_by(struct unseen *u, struct unseen_change **spare, bool by_time)
{
	size_t n = u->changes.n;
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= key_of(&u->changes.at[i], by_time) ^ key_of(&u->changes.at[0], by_time);
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct unseen_change *from = u->changes.at;

		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		sort_digit(from, *spare, n, by_time, shift);
		u->changes.at = *spare;
		*spare = from;
	}
}

static bool is_same(const struct unseen_change *x, const struct unseen_change *y)
{
	return x->time == y->time && x->thread == y->thread && x->variable == y->variable;
}

void unseen_sort(struct unseen *u)
{
	struct unseen_change *spare = mem_alloc((u->changes.n + 1) * sizeof(*spare));

	sort_by(u, &spare, false);
	sort_by(u, &spare, true);
	u->changes.capacity = u->changes.n; /* whichever of the two it is */
	mem_free(spare);
	u->next = 0;
}

const struct unseen_change *unseen_due(struct unseen *u, uint64_t time)
{
	const struct unseen_change *at = u->changes.at;

	if (u->next == u->changes.n || at[u->next].time > time)
		return NULL;
	while (u->next + 1 < u->changes.n && is_same(&at[u->next], &at[u->next + 1]))
		u->next++;
	return &at[u->next++];
}
