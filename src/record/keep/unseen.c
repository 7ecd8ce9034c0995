/* SPDX-License-Identifier: MIT */
#include "record/keep/unseen.h"

#include "base/sorted.h"

#include <stdlib.h>

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
	for (uint32_t t = 0; t < u->thread_count; t++) {
		vec_release(&u->threads[t].stretches);
		mem_free(u->threads[t].batches.at);
	}
	mem_free(u->threads);
	mem_free(u->variables);
	for (size_t i = 0; i < u->due.n; i++)
		vec_release(&u->due.at[i].changes);
	vec_release(&u->due);
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

static struct unseen_batch *batch_at(struct unseen_thread *t, uint32_t thread, uint64_t time)
{
	if (t->latest && t->latest->key == time + 1)
		return t->latest;
	t->latest = keyed_slot(&t->batches, time + 1);
	if (!t->latest->key) {
		*t->latest = (struct unseen_batch){.key = time + 1, .thread = thread};
		t->batches.n++;
	}
	return t->latest;
}

/*
 * In the stretch; at its end if it has one, so that all that it may have changed is one event.
 * Behind the last access it tells the change; before that, when others seem to have looked in
 * between, that there may have been one.
 */
static void add_change(struct unseen *u, uint32_t thread, const struct unseen_stretch *s,
		       uint32_t variable, uint64_t value)
{
	uint64_t last = u->variables[variable].time, time = s->end - 1;

	if (s->end == UINT64_MAX)
		time = s->begin > last ? s->begin : last;
	struct unseen_change c = {.variable = variable, .changes = time >= last, .value = value};
	struct unseen_batch *b = batch_at(&u->threads[thread], thread, time);

	vec_push(&b->changes, c);
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
 * The changes of a batch are sorted by variable; then those that are changes come last, since what
 * is the same in all else is told once: if one of them is a change, as that. There can be many, so
 * it is a radix sort, which keeps the order of those that are the same in all this.
 */
#define DIGIT_BITS 11
#define DIGITS ((size_t)1 << DIGIT_BITS)

static uint32_t key_of(const struct unseen_change *c)
{
	return (uint32_t)c->variable << 1 | c->changes;
}

static size_t digit_of(const struct unseen_change *c, unsigned shift)
{
	return key_of(c) >> shift & (DIGITS - 1);
}

static void sort_digit(const struct unseen_change *from, struct unseen_change *to, size_t n,
		       unsigned shift)
{
	size_t places[DIGITS] = {0}, place = 0;

	for (size_t i = 0; i < n; i++)
		places[digit_of(&from[i], shift)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t count = places[d];

		places[d] = place;
		place += count;
	}
	for (size_t i = 0; i < n; i++)
		to[places[digit_of(&from[i], shift)]++] = from[i];
}

static void sort_batch(struct unseen_batch *b)
{
	size_t n = b->changes.n;
	uint32_t differ = 0;
	bool sorted = true;

	for (size_t i = 1; i < n; i++) {
		sorted &= key_of(&b->changes.at[i - 1]) <= key_of(&b->changes.at[i]);
		differ |= key_of(&b->changes.at[i]) ^ key_of(&b->changes.at[0]);
	}
	if (sorted) /* as most are: who reads much of it goes up */
		return;
	struct unseen_change *spare = mem_alloc(n * sizeof(*spare));

	for (unsigned shift = 0; shift < 32; shift += DIGIT_BITS) {
		struct unseen_change *from = b->changes.at;

		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		sort_digit(from, spare, n, shift);
		b->changes.at = spare;
		spare = from;
	}
	b->changes.capacity = n; /* whichever of the two it is */
	mem_free(spare);
}

static int compare_batches(const void *a, const void *b)
{
	const struct unseen_batch *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

void unseen_sort(struct unseen *u)
{
	for (uint32_t i = 0; i < u->thread_count; i++)
		for (size_t k = 0; k < u->threads[i].batches.size; k++) {
			struct unseen_batch *b = &u->threads[i].batches.at[k];

			if (!b->key)
				continue;
			sort_batch(b);
			vec_push(&u->due, *b);
		}
	if (u->due.n)
		qsort(u->due.at, u->due.n, sizeof(*u->due.at), compare_batches);
}

const struct unseen_change *unseen_due(struct unseen *u, uint64_t time, uint32_t *thread)
{
	if (u->next == u->due.n || u->due.at[u->next].key > time + 1)
		return NULL;
	const struct unseen_batch *b = &u->due.at[u->next];
	const struct unseen_change *c = &b->changes.at[u->next_change++], *end;

	for (end = b->changes.at + b->changes.n; c + 1 < end && c[1].variable == c->variable; c++)
		u->next_change++;
	if (u->next_change == b->changes.n) {
		u->next++;
		u->next_change = 0;
	}
	*thread = b->thread;
	return c;
}
