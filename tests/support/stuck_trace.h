/* SPDX-License-Identifier: MIT */
/*
 * Random traces in which threads can get stuck: full of locks, semaphores, barriers and
 * conditions, and with threads that end, which those of random_trace.h seldom do.
 */
#ifndef SUPPORT_STUCK_TRACE_H
#define SUPPORT_STUCK_TRACE_H

#include <stdint.h>
#include <stdio.h>

/* The trace as text, for the caller to free. */
char *stuck_trace_make(uint64_t seed);

/* Philosophers who each take their two forks, left first, so many times; one after the other. */
char *philosophers_make(uint32_t philosophers, uint32_t meals);

/*
 * So many events of threads with sections of their locks, and in their midst a wait whose signal
 * may come too early: the only wait that may have no end.
 */
void lost_wakeup_write(uint64_t events, FILE *out);

#endif
