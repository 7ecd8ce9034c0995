#include "record/unseen.h"

#include <stdlib.h>

void unseen_init(struct unseen *u, uint32_t threads, size_t variables)
{
	*u = (struct unseen){.thread_count = threads};
	u->threads = mem_alloc_zero((size_t)threads + 1, sizeof(*u->threads));
	u->variables = mem_alloc_zero(variables + 1, sizeof(*u->variables));
}

void unseen_release(struct unseen *u)
{
	for (uint32_t t = 0; t < u->thread_count; t++)
		vec_release(&u->threads[t].stretches);
	mem_free(u->threads);
	mem_free(u->variables);
	vec_release(&u->changes);
}

/* Stretches */

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
	size_t low = 0, high = t->stretches.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->stretches.at[middle].end > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low < t->stretches.n ? &t->stretches.at[low] : NULL;
}

/* Changes */

void unseen_born(struct unseen *u, uint32_t variable, uint64_t time)
{
	u->variables[variable] = (struct unseen_variable){.time = time};
}

void unseen_accessed(struct unseen *u, uint32_t variable, uint64_t time)
{
	u->variables[variable] = (struct unseen_variable){.time = time, .accessed = true};
}

static void add_change(struct unseen *u, uint32_t thread, const struct unseen_stretch *s,
		       uint32_t variable, uint64_t value)
{
	uint64_t last = u->variables[variable].time, soonest = s->begin > last ? s->begin : last;
	/* at its end if it has one, so that all that it may have changed is one event */
	struct unseen_change c = {.time = s->end == UINT64_MAX ? soonest : s->end - 1,
				  .thread = thread,
				  .variable = variable,
				  .value = value};

	vec_push(&u->changes, c);
}

void unseen_changed(struct unseen *u, uint32_t variable, uint64_t value)
{
	for (uint32_t i = 0; i < u->thread_count; i++) {
		const struct unseen_thread *t = &u->threads[i];
		const struct unseen_stretch *first = first_behind(t, u->variables[variable].time);

		if (!first)
			continue;
		const struct unseen_stretch *last = &t->stretches.at[t->stretches.n - 1];

		add_change(u, i, first, variable, value);
		if (last != first)
			add_change(u, i, last, variable, value);
	}
}

void unseen_first_read(struct unseen *u, uint32_t thread, uint32_t variable, uint64_t value)
{
	for (uint32_t i = 0; i < u->thread_count; i++) {
		const struct unseen_thread *t = &u->threads[i];
		const struct unseen_stretch *last =
			t->stretches.n ? &t->stretches.at[t->stretches.n - 1] : NULL;

		if (i != thread && last && last->end > u->variables[variable].time)
			add_change(u, i, last, variable, value);
	}
}

/* When they are due */

static int compare_changes(const void *a, const void *b)
{
	const struct unseen_change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->variable < y->variable ? -1 : x->variable > y->variable;
}

void unseen_sort(struct unseen *u)
{
	if (u->changes.n)
		qsort(u->changes.at, u->changes.n, sizeof(*u->changes.at), compare_changes);
	u->next = 0;
}

const struct unseen_change *unseen_due(struct unseen *u, uint64_t time)
{
	if (u->next == u->changes.n || u->changes.at[u->next].time > time)
		return NULL;
	return &u->changes.at[u->next++];
}
