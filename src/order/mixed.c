/* SPDX-License-Identifier: MIT */
#include "order/mixed.h"

#define LONG_LIST 32u

static struct mixed_access *list_of(const struct line *l, uint32_t way, uint32_t *size)
{
	*size = l->who[way] & ~SETTLED ? 1u << array_size(l->who[way]) : 0;
	return array_at(l->who[way]);
}

static uint32_t count_of(const struct mixed_access *list, uint32_t size)
{
	uint32_t n = 0;

	while (n < size && list[n].time)
		n++;
	return n;
}

bool mixed_repeats(const struct groups_memory *m, struct place p, const struct now *now)
{
	uint32_t size;
	const struct mixed_access *list = list_of(p.line, p.way, &size);

	for (uint32_t i = 0; i < size && list[i].time; i++)
		if (list[i].time == now->time && who_slot(list[i].who) == now->slot &&
		    lockset_table_is_within(m->locksets, list[i].lockset, now->lockset))
			return true;
	return false;
}

/* Is that one of no more use? */
static inline bool replaces(const struct groups_memory *m, const struct now *now,
			    const struct mixed_access *a)
{
	return !unordered(now, a->time, a->who) &&
	       (m->filter || lockset_table_is_within(m->locksets, now->lockset, a->lockset));
}

/* Do those of its thread after it stand for this one? Then they are marked. */
static bool is_stood_for(const struct groups_memory *m, struct mixed_access *list, uint32_t n,
			 uint32_t at)
{
	uint64_t used = 0, beyond;
	uint32_t apart[MIXED_LOCKS + 1], found = 0;

	for (uint32_t i = n; i-- > at + 1 && found <= MIXED_LOCKS;) {
		if (!list[i].time || who_slot(list[i].who) != who_slot(list[at].who))
			continue;
		beyond = lockset_table_beyond(m->locksets, list[i].lockset, list[at].lockset);
		if (beyond & used)
			continue;
		used |= beyond;
		apart[found++] = i;
	}
	if (found <= MIXED_LOCKS)
		return false;
	while (found)
		list[apart[--found]].who |= MIXED_STANDS;
	return true;
}

/* Drops what others stand for; how many are left. */
static uint32_t shorten(const struct groups_memory *m, struct mixed_access *list, uint32_t n)
{
	uint32_t left = 0;

	for (uint32_t i = n; i-- > 0;)
		if (is_stood_for(m, list, n, i))
			list[i].time = 0;
	for (uint32_t i = 0; i < n; i++)
		if (list[i].time)
			list[left++] = list[i];
	return left;
}

static struct mixed_access *resize(struct groups_memory *m, struct place p, uint32_t n,
				   uint32_t size)
{
	struct mixed_access *list = pool_take(&m->mixed, size);
	uint64_t settled = p.line->who[p.way] & SETTLED;

	if (n) {
		memcpy(list, array_at(p.line->who[p.way]), n * sizeof(*list));
		mixed_drop(m, p.line, p.way);
	}
	p.line->who[p.way] = array_of(list, size) | settled;
	return list;
}

/* Drops what the access at hand replaces; of that, whether it stood for others. */
static uint32_t drop_replaced(const struct groups_memory *m, struct mixed_access *list, uint32_t n,
			      const struct now *now, uint64_t *stands)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < n; i++)
		if (replaces(m, now, &list[i]))
			*stands |= list[i].who & MIXED_STANDS;
		else
			list[left++] = list[i];
	return left;
}

void mixed_note(struct groups_memory *m, struct place p, const struct now *now)
{
	uint32_t size;
	struct mixed_access *list = list_of(p.line, p.way, &size);
	uint64_t stands = 0;
	uint32_t n = drop_replaced(m, list, count_of(list, size), now, &stands);
	bool full = size - n <= size / 8;

	if (full && size >= LONG_LIST && !m->filter) {
		n = shorten(m, list, n);
		full = n > size / 8 * 5; /* not worth it: not again soon */
	}
	if (full) {
		uint32_t grown = size ? array_size(p.line->who[p.way]) + 1 : 0;

		list = resize(m, p, n, grown);
		size = 1u << grown;
	}
	list[n++] = (struct mixed_access){who_of(now) | stands, now->time, now->lockset};
	while (n < size)
		list[n++].time = 0;
}

uint64_t mixed_unordered(struct groups_memory *m, const struct line *l, uint32_t way,
			 const struct now *now)
{
	uint32_t size;
	const struct mixed_access *list = list_of(l, way, &size);
	uint64_t found = 0, perhaps = 0;

	for (uint32_t i = 0; i < size && list[i].time; i++) {
		if (!unordered(now, list[i].time, list[i].who))
			continue;
		uint64_t number = who_number(list[i].who);

		if (!lockset_table_excludes(m->locksets, list[i].lockset, now->lockset))
			found = number > found ? number : found;
		else if (list[i].who & MIXED_STANDS)
			perhaps = number > perhaps ? number : perhaps;
	}
	if (found || !perhaps || lockset_table_count(m->locksets, now->lockset) <= MIXED_LOCKS)
		return found;
	m->unsure = true;
	return perhaps;
}

bool mixed_sweep(struct groups_memory *m, struct place p, const struct clock *known)
{
	uint32_t size, left = 0;
	struct mixed_access *list = list_of(p.line, p.way, &size);
	uint32_t n = count_of(list, size);

	for (uint32_t i = 0; i < n; i++)
		if (list[i].time > clock_get(known, who_slot(list[i].who)))
			list[left++] = list[i];
	for (uint32_t i = left; i < n; i++)
		list[i].time = 0;
	if (!left)
		mixed_drop(m, p.line, p.way);
	return left;
}

void mixed_drop(struct groups_memory *m, const struct line *l, uint32_t way)
{
	pool_give(&m->mixed, array_at(l->who[way]), array_size(l->who[way]));
}
