/* SPDX-License-Identifier: MIT */
/*
 * Random traces that are about locks: threads that take 3 to 5 of them, nested up to three deep
 * and in any order, so that many deadlocks are near, and others are kept away by what was taken
 * before, by fork and join, or by a flag that somebody reads. Read-write locks in every other
 * seed, conditions in some of both. The same seed gives the same text everywhere.
 */
#ifndef SUPPORT_LOCK_TRACE_H
#define SUPPORT_LOCK_TRACE_H

#include <stdint.h>

#define LOCK_TRACE_THREADS 5

/* About that many events; the text is for the caller to free. */
char *lock_trace_make(uint64_t seed, uint32_t events);

#endif
