/*
 * Random traces in which threads can get stuck: full of locks, semaphores, barriers and
 * conditions, and with threads that end, which those of random_trace.h seldom do.
 */
#ifndef SUPPORT_STUCK_TRACE_H
#define SUPPORT_STUCK_TRACE_H

#include <stdint.h>

/* The trace as text, for the caller to free. */
char *stuck_trace_make(uint64_t seed);

/* Philosophers who each take their two forks, left first, so many times; one after the other. */
char *philosophers_make(uint32_t philosophers, uint32_t meals);

#endif
