/*
 * Random traces of threads that use locks as programs do: short critical sections, nested
 * and hand over hand, with accesses inside and few outside. In the traces of random_trace.h
 * most accesses race whatever the order; here the orders differ. The same seed gives the same
 * text everywhere.
 */
#ifndef SUPPORT_SECTION_TRACE_H
#define SUPPORT_SECTION_TRACE_H

#include <stdint.h>

#define SECTION_TRACE_EVENTS_MAX 1000

/* At most that many events, 2 to 4 threads at a time; for the caller to free. */
char *section_trace_make(uint64_t seed, uint32_t events);

#endif
