/* SPDX-License-Identifier: MIT */
/*
 * Two pieces of memory with the same contents, one for a function of ours and one for libc's,
 * each with a page behind it that cannot be touched. A round fills both, and at its end compares
 * them, and what the log (ranges_log.h) says of ours with what happened to it.
 */
#ifndef SUPPORT_ARENAS_H
#define SUPPORT_ARENAS_H

#include "support/random.h"

#include <stddef.h>

#define ARENA_SIZE ((size_t)8192)
#define ARENA_USED ((size_t)512) /* the last bytes: where rounds put things */

struct arenas {
	char *ours, *libcs, *before;
	struct random random;
};

void arenas_init(struct arenas *a, uint64_t seed);
/* Strings over `letters`, of some bytes each; the last byte is a NUL. Clears the log. */
void arenas_fill(struct arenas *a, const char *letters);
/* An offset within the part that is used, with at least `room` bytes behind it. */
size_t arenas_place(struct arenas *a, size_t room);
/* Ends the test if the two differ, or the log is not the whole truth. */
void arenas_check(struct arenas *a);

#endif
