/* SPDX-License-Identifier: MIT */
/*
 * Vector clocks. Entry i is a time of slot i, 0 where nothing is known; entries behind n
 * are 0. A clock that is all zero bytes is an empty one.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

struct clock {
	uint32_t n, capacity;
	uint32_t *at;
};

static inline uint32_t clock_get(const struct clock *c, uint32_t slot)
{
	return slot < c->n ? c->at[slot] : 0;
}

void clock_grow(struct clock *c, uint32_t n);
/* at := the later of both, n entries. */
void clock_join_times(uint32_t *at, const uint32_t *from, uint32_t n);

static inline void clock_set(struct clock *c, uint32_t slot, uint32_t time)
{
	if (slot >= c->n)
		clock_grow(c, slot + 1);
	c->at[slot] = time;
}

/* to := the later of both, entry by entry. */
static inline void clock_join(struct clock *to, const struct clock *from)
{
	if (from->n > to->n)
		clock_grow(to, from->n);
	clock_join_times(to->at, from->at, from->n);
}

static inline void clock_copy(struct clock *to, const struct clock *from)
{
	if (from->n > to->capacity)
		clock_grow(to, from->n);
	to->n = from->n;
	if (from->n)
		memcpy(to->at, from->at, from->n * sizeof(*to->at));
}

static inline void clock_release(struct clock *c)
{
	mem_free(c->at);
	*c = (struct clock){0};
}

#endif
