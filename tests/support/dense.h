/* SPDX-License-Identifier: MIT */
/*
 * Dense random traces, to make queries hard: few variables that everybody accesses, with locks
 * and without, three values, so that a read has many writes to take its value from; nested
 * sections of few locks, which can be ordered in many ways; branches that need what was read.
 */
#ifndef SUPPORT_DENSE_H
#define SUPPORT_DENSE_H

#include "base/output.h"

struct dense {
	uint32_t events;
	uint32_t threads; /* at most 16 */
	uint64_t seed;
};

int dense_write(const struct dense *d, struct output *out, const char *format, struct err *err);

#endif
