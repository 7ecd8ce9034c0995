/* SPDX-License-Identifier: MIT */
/*
 * runtime/libc/ranges.h for tests: what library functions do to memory is done, and kept in a list
 * in the order in which it happened. Link with the objects of runtime/libc alone.
 */
#ifndef SUPPORT_RANGES_LOG_H
#define SUPPORT_RANGES_LOG_H

#include <stdbool.h>
#include <stddef.h>

struct ranges_access {
	bool writes;
	bool steps; /* LOG_STEPS */
	const char *p;
	size_t n; /* within one line */
	const void *pc;
	unsigned char bytes[64];
};

struct ranges_log {
	struct ranges_access *accesses;
	size_t n;
	unsigned branches, long_calls, before, after;
	bool gathers;  /* norn_gather */
	size_t unseen; /* accesses before it */
};

extern struct ranges_log ranges_log;

void ranges_log_clear(void);

/* Whether the bytes read (written) are exactly these n, each at least once. */
bool ranges_log_is(bool writes, const void *p, size_t n);
/* How many bytes, each counted once, of these n were read (written). */
size_t ranges_log_bytes(bool writes, const void *p, size_t n);
/* Performs the writes of the list on `copy`, which stands for the n bytes at `p`. */
void ranges_log_replay(const void *p, char *copy, size_t n);

#endif
