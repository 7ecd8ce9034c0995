/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

void clock_grow(struct clock *c, uint32_t n)
{
	if (n > c->capacity) {
		c->capacity = n < 8 ? 8 : n + n / 2;
		c->at = mem_resize(c->at, c->capacity * sizeof(*c->at));
	}
	if (n > c->n) {
		memset(c->at + c->n, 0, (n - c->n) * sizeof(*c->at));
		c->n = n;
	}
}

#define LANES 8
typedef uint32_t times __attribute__((vector_size(LANES * sizeof(uint32_t))));

void clock_join_times(uint32_t *at, const uint32_t *from, uint32_t n)
{
	uint32_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		times a, b;

		memcpy(&a, at + i, sizeof(a));
		memcpy(&b, from + i, sizeof(b));
		times later = (times)(a > b);

		a = (a & later) | (b & ~later);
		memcpy(at + i, &a, sizeof(a));
	}
	for (; i < n; i++)
		at[i] = at[i] > from[i] ? at[i] : from[i];
}
