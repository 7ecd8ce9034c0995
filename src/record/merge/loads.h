/* SPDX-License-Identifier: MIT */
/* The next block to load of each lane, by when it was begun: a heap, the earliest first. */
#ifndef RECORD_MERGE_LOADS_H
#define RECORD_MERGE_LOADS_H

#include "base/mem.h"

#include <stdint.h>

struct load {
	uint64_t time, block;
	uint32_t lane;
};

struct loads {
	VEC(struct load) at;
};

void loads_push(struct loads *l, struct load load);
void loads_pop(struct loads *l);
void loads_release(struct loads *l);

#endif
