/* SPDX-License-Identifier: MIT */
/*
 * Random traces of many variables and locks in the format of RAPID, which has no values: 46 %
 * reads, 30 % writes, the rest acquires and releases of locks that are nested up to three deep, in
 * any order. Nothing keeps anything apart: nearly all is a candidate, and in model mcm nearly none
 * a bug.
 */
#ifndef SUPPORT_STD_TRACE_H
#define SUPPORT_STD_TRACE_H

#include "base/output.h"

struct std_trace {
	uint64_t events;
	uint32_t threads, variables, locks; /* at most 64, any, 1024 */
	uint32_t places;
	uint64_t seed;
};

void std_trace_write(const struct std_trace *t, struct output *out);

#endif
