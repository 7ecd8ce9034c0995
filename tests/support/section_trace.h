/* SPDX-License-Identifier: MIT */
/*
 * Random traces of threads that use locks as programs do: short critical sections, nested
 * and hand over hand, with accesses inside and few outside. In the traces of random_trace.h
 * most accesses race whatever the order; here the orders differ. The same seed gives the same
 * text everywhere.
 */
#ifndef SUPPORT_SECTION_TRACE_H
#define SUPPORT_SECTION_TRACE_H

#include <stdint.h>

/* The texts are for the caller to free. At most that many events, 2 to 4 threads at a time: */
char *section_trace_make(uint64_t seed, uint32_t events);
/*
 * Groups of 1 to `size` threads, one group after the other: forked, by the first one or by
 * another of the group, at work, and joined, but for a few. Odd seeds have source locations.
 */
char *group_trace_make(uint64_t seed, uint32_t groups, uint32_t size);

#endif
