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
