/* SPDX-License-Identifier: MIT */
#include "model/past.h"

#include "base/sorted.h"

#include <string.h>

#define WORDS_MOST ((size_t)32 << 20)

/* From this position of a thread on it knows of so many events of each. */
struct lesson {
	uint32_t position;
	const uint32_t *counts;
};

struct lessons {
	VEC(struct lesson) at; /* ascending */
};

struct past {
	const struct index *index;
	struct lessons *threads;
	struct arena memory;
	size_t words;
};

/* What the thread knows when it comes to a position; NULL: of nobody else. */
static const uint32_t *counts_at(const struct past *p, uint32_t thread, uint32_t position)
{
	const struct lessons *l = &p->threads[thread];
	size_t n = LOWER_BOUND(i, 0, l->at.n, l->at.at[i].position <= position);

	return n ? l->at.at[n - 1].counts : NULL;
}

uint32_t past_count(const struct past *p, uint32_t event, uint32_t thread)
{
	uint32_t own = p->index->events[event].thread, position = p->index->position[event];

	if (thread == own)
		return position;
	const uint32_t *counts = counts_at(p, own, position);

	return counts ? counts[thread] : 0;
}

/* Adds what is known at an event, and the event, to counts; true: something was new. */
static bool learn(const struct past *p, uint32_t from, uint32_t *counts)
{
	uint32_t thread = p->index->events[from].thread, position = p->index->position[from];
	const uint32_t *known = counts_at(p, thread, position);
	bool new = counts[thread] <= position;

	if (new)
		counts[thread] = position + 1;
	for (uint32_t t = 0; known && t < p->index->thread_count; t++) {
		if (counts[t] >= known[t])
			continue;
		counts[t] = known[t];
		new = true;
	}
	return new;
}

static void learn_needs(struct past *p, const struct needs *needs, uint32_t event)
{
	uint32_t threads = p->index->thread_count, own = p->index->events[event].thread;
	uint32_t position = p->index->position[event];
	const uint32_t *known = counts_at(p, own, position);
	bool new = false;

	if (p->words + threads > WORDS_MOST)
		return;
	uint32_t *counts = mem_alloc_zero(threads, sizeof(*counts));

	if (known)
		memcpy(counts, known, threads * sizeof(*counts));
	for (uint32_t i = needs->first[event]; i < needs->first[event + 1]; i++)
		if (p->index->events[needs->events[i]].thread != own)
			new |= learn(p, needs->events[i], counts);
	if (new) {
		struct lesson lesson = {position,
					arena_copy(&p->memory, counts, threads * sizeof(*counts))};

		vec_push(&p->threads[own].at, lesson);
		p->words += threads;
	}
	mem_free(counts);
}

struct past *past_new(const struct index *index, const struct needs *needs)
{
	struct past *p = mem_alloc_zero(1, sizeof(*p));

	p->index = index;
	p->threads = mem_alloc_zero(index->thread_count, sizeof(*p->threads));
	/* what an event needs was recorded before it; what may be skipped teaches those behind
	 * nothing */
	for (uint32_t n = 1; n <= index->count; n++)
		if (needs->first[n] < needs->first[n + 1] && !index_arm(index, n))
			learn_needs(p, needs, n);
	return p;
}

void past_free(struct past *p)
{
	if (!p)
		return;
	for (uint32_t t = 0; t < p->index->thread_count; t++)
		vec_release(&p->threads[t].at);
	mem_free(p->threads);
	arena_release(&p->memory);
	mem_free(p);
}
