/* SPDX-License-Identifier: MIT */
/* A set of addresses, as spans in ascending order that do not overlap. */
#ifndef BASE_SPANS_H
#define BASE_SPANS_H

#include "base/mem.h"

#include <stdbool.h>

struct span {
	uint64_t from, to;
};

struct spans {
	VEC(struct span) all;
};

/* A size that leads beyond the last address ends there. */
void spans_add(struct spans *s, uint64_t from, uint64_t size);
void spans_remove(struct spans *s, uint64_t from, uint64_t size);
bool spans_meet(const struct spans *s, uint64_t from, uint64_t size);
void spans_release(struct spans *s);

#endif
