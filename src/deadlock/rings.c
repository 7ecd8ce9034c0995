/* SPDX-License-Identifier: MIT */
/* From a cycle of wants to rings: one acquire of each. */
#include "deadlock/cycles_parts.h"

#include "base/sorted.h"
#include "deadlock/tune.h"

struct making {
	const struct cycles *c;
	const uint32_t *wants;
	uint32_t n, skip; /* skip: that want has its acquire; UINT32_MAX: none has */
	rings_found *found;
	void *context;
	uint64_t left;
	bool stopped;
	uint32_t *ring, *told;
	uint32_t *from, *end; /* of each want: which of its acquires are tried */
};

static bool goes_with_others(const struct making *m, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (!cycles_unordered(m->c, m->ring[i], m->ring[k]))
			return false;
	return m->skip == UINT32_MAX || m->skip <= i ||
	       cycles_unordered(m->c, m->ring[i], m->ring[m->skip]);
}

/* From its first event on. */
static void tell(struct making *m)
{
	uint32_t lowest = 0;

	for (uint32_t i = 1; i < m->n; i++)
		if (m->ring[i] < m->ring[lowest])
			lowest = i;
	for (uint32_t i = 0; i < m->n; i++)
		m->told[i] = m->ring[(lowest + i) % m->n];
	m->stopped = !m->found(m->context, m->told, m->n);
	if (m->stopped)
		m->left = 0;
}

static void make_rings(struct making *m, uint32_t i)
{
	if (!m->left)
		return;
	if (i == m->n) {
		m->left--;
		tell(m);
		return;
	}
	if (i == m->skip) {
		make_rings(m, i + 1);
		return;
	}
	const struct want *w = &m->c->wants->all.at[m->wants[i]];

	for (uint32_t k = m->from[i]; k < m->end[i] && m->left; k++) {
		m->ring[i] = m->c->wants->events[w->first + k];
		if (goes_with_others(m, i))
			make_rings(m, i + 1);
	}
}

/* How many acquires of the want, which ascend, are such that the test holds: the first ones. */
typedef bool acquire_test(const struct cycles *c, uint32_t acquire, uint32_t pivot);

static uint32_t count_first(const struct cycles *c, const struct want *w, uint32_t pivot,
			    acquire_test *test)
{
	return LOWER_BOUND(i, 0, w->count, test(c, c->wants->events[w->first + i], pivot));
}

static bool is_before(const struct cycles *c, uint32_t acquire, uint32_t pivot)
{
	(void)c;
	return acquire < pivot;
}

static bool always_before(const struct cycles *c, uint32_t acquire, uint32_t pivot)
{
	return past_has(c->past, c->index, pivot, acquire);
}

static bool not_always_behind(const struct cycles *c, uint32_t acquire, uint32_t pivot)
{
	return !past_has(c->past, c->index, acquire, pivot);
}

/* Around the pivot, among those that are not ordered with it. */
static void choose_near(struct making *m, uint32_t i, uint32_t pivot)
{
	const struct want *w = &m->c->wants->all.at[m->wants[i]];
	uint32_t low = count_first(m->c, w, pivot, always_before);
	uint32_t high = count_first(m->c, w, pivot, not_always_behind);
	uint32_t place = count_first(m->c, w, pivot, is_before);

	if (place < low)
		place = low;
	if (place > high)
		place = high;
	m->from[i] = place > low + deadlock_tune.near ? place - deadlock_tune.near : low;
	m->end[i] = place + deadlock_tune.near < high ? place + deadlock_tune.near : high;
}

/* Around acquires of the rarest want, some way apart if there are very many of these. */
static void make_near(struct making *m, uint64_t most)
{
	uint32_t rarest = 0;

	for (uint32_t i = 1; i < m->n; i++)
		if (m->c->wants->all.at[m->wants[i]].count <
		    m->c->wants->all.at[m->wants[rarest]].count)
			rarest = i;
	const struct want *w = &m->c->wants->all.at[m->wants[rarest]];
	uint64_t stride = w->count / most + 1;

	m->skip = rarest;
	for (uint64_t k = 0; k < w->count && !m->stopped; k += stride) {
		uint32_t pivot = m->c->wants->events[w->first + k];

		m->ring[rarest] = pivot;
		for (uint32_t i = 0; i < m->n; i++)
			if (i != rarest)
				choose_near(m, i, pivot);
		m->left = deadlock_tune.rings_a_place;
		make_rings(m, 0);
	}
}

uint64_t cycles_count_rings(const struct cycles *c, const uint32_t *wants, uint32_t n)
{
	uint64_t count = 1;

	for (uint32_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(count, c->wants->all.at[wants[i]].count, &count))
			return UINT64_MAX;
	return count;
}

bool cycles_rings(const struct cycles *c, const uint32_t *wants, uint32_t n, uint64_t most,
		  rings_found *found, void *context)
{
	struct making m = {.c = c,
			   .wants = wants,
			   .n = n,
			   .skip = UINT32_MAX,
			   .found = found,
			   .context = context,
			   .left = UINT64_MAX};
	bool all = cycles_count_rings(c, wants, n) <= most;

	m.ring = mem_alloc_zero(n, sizeof(*m.ring));
	m.told = mem_alloc_zero(n, sizeof(*m.told));
	m.from = mem_alloc_zero(n, sizeof(*m.from));
	m.end = mem_alloc_zero(n, sizeof(*m.end));
	for (uint32_t i = 0; i < n; i++)
		m.end[i] = c->wants->all.at[wants[i]].count;
	if (all)
		make_rings(&m, 0);
	else
		make_near(&m, most);
	mem_free(m.ring);
	mem_free(m.told);
	mem_free(m.from);
	mem_free(m.end);
	return all && !m.stopped;
}

struct everything {
	const struct cycles *c;
	rings_found *found;
	void *context;
};

static bool make_all(void *context, const uint32_t *wants, uint32_t n)
{
	const struct everything *e = context;

	return cycles_rings(e->c, wants, n, UINT64_MAX, e->found, e->context);
}

bool cycles_all_rings(struct cycles *c, uint64_t steps, rings_found *found, void *context)
{
	struct everything e = {c, found, context};

	return cycles_each(c, steps, make_all, &e);
}
