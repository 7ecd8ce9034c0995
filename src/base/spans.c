/* SPDX-License-Identifier: MIT */
#include "base/spans.h"

#include <string.h>

static uint64_t end_of(uint64_t from, uint64_t size)
{
	return size > UINT64_MAX - from ? UINT64_MAX : from + size;
}

/* The first one that ends behind the address. */
static size_t first_behind(const struct spans *s, uint64_t address)
{
	size_t low = 0, high = s->all.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->all.at[middle].to > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Puts n spans in the place of those from `first` up to `last`. */
static void replace(struct spans *s, size_t first, size_t last, const struct span *by, size_t n)
{
	size_t behind = s->all.n - last;

	vec_reserve(&s->all, first + n + behind);
	if (behind)
		memmove(s->all.at + first + n, s->all.at + last, behind * sizeof(*by));
	if (n)
		memcpy(s->all.at + first, by, n * sizeof(*by));
	s->all.n = first + n + behind;
}

void spans_remove(struct spans *s, uint64_t from, uint64_t size)
{
	uint64_t to = end_of(from, size);
	size_t first = first_behind(s, from), last = first, n = 0;
	struct span left[2];

	if (from == to)
		return;
	while (last < s->all.n && s->all.at[last].from < to) {
		struct span old = s->all.at[last++];

		if (old.from < from)
			left[n++] = (struct span){old.from, from};
		if (old.to > to)
			left[n++] = (struct span){to, old.to};
	}
	if (last > first)
		replace(s, first, last, left, n);
}

void spans_add(struct spans *s, uint64_t from, uint64_t size)
{
	struct span added = {from, end_of(from, size)};

	if (added.from == added.to)
		return;
	spans_remove(s, from, size);
	size_t at = first_behind(s, from);

	replace(s, at, at, &added, 1);
}

bool spans_meet(const struct spans *s, uint64_t from, uint64_t size)
{
	size_t at = first_behind(s, from);

	return size && at < s->all.n && s->all.at[at].from < end_of(from, size);
}

void spans_release(struct spans *s)
{
	vec_release(&s->all);
}
