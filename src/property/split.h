/* SPDX-License-Identifier: MIT */
/*
 * A specification in parts: of processes in parallel that share every event which more than one of
 * them can do, a trace is one of all iff what each part can do of it is one of that part. So an
 * assertion about traces can be asked one part at a time: `||| f : files @ FILE(f)` one file at a
 * time.
 */
#ifndef PROPERTY_SPLIT_H
#define PROPERTY_SPLIT_H

#include "csp/csp.h"
#include "base/mem.h"

/* Events as bits. */
struct event_bits {
	VEC(uint64_t) words;
};

static inline bool event_bits_has(const struct event_bits *b, uint32_t event)
{
	return event / 64 < b->words.n && b->words.at[event / 64] >> event % 64 & 1;
}

struct split_part {
	struct csp_process *process;
	struct event_bits events; /* that it can do */
};

struct split {
	VEC(struct split_part) parts; /* less than two: it cannot be split */
	struct event_bits possible;   /* what all together can do, at some time */
};

/* Negative: the script is wrong. */
int split_make(struct split *s, struct csp *csp, struct csp_process *process, struct err *err);
void split_release(struct split *s);

#endif
