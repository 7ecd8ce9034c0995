/* SPDX-License-Identifier: MIT */
/*
 * Random traces of threads that hand objects to each other through a list in memory: each takes an
 * address from it, uses the object behind that, and puts it back. What guards, branches and
 * expressions say of the addresses differs from place to place, and so do locks: some traces are
 * right, some are not. Consistent by construction.
 */
#ifndef SUPPORT_LIST_TRACE_H
#define SUPPORT_LIST_TRACE_H

#include <stdint.h>

/* The trace as text, of about that many events, for the caller to free. */
char *list_trace_make(uint64_t seed, uint32_t events);

#endif
