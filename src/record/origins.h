/*
 * What values in the memory of one thread came from. Such memory is not in the trace; what is read
 * there depends on what its last write depended on. An origin says that: some reads of the thread
 * (events), or every read before it was written.
 *
 * It holds as long as nobody else can have written there. A thread's `era` counts the stretches of
 * code without hooks that it has been in: what was written in an earlier one is not known.
 * `settles` counts its branches that depend on every earlier read: behind such a branch all of
 * these reads are as recorded, so that what depends on them depends on nothing any more.
 */
#ifndef RECORD_ORIGINS_H
#define RECORD_ORIGINS_H

#include "base/mem.h"

#include <stdbool.h>

#define READ_SET_MOST 32

/* Reads of one thread, by the numbers of their events. */
struct read_set {
	bool all; /* every earlier one; then the others do not count */
	uint32_t n;
	uint64_t at[READ_SET_MOST];
};

static inline void read_set_clear(struct read_set *set)
{
	set->all = false;
	set->n = 0;
}

void read_set_add(struct read_set *set, uint64_t read);

/* How far a thread is. */
struct origin_clock {
	uint32_t thread;
	uint32_t era;
	uint32_t settles;
	uint64_t settled; /* the event of the latest settling branch, 0: none */
};

#define ORIGIN_UNKNOWN 0 /* every earlier read */

struct origin {
	struct origin_clock when;
	bool all;
	uint32_t first, n; /* in origins.reads */
};

struct origins {
	VEC(struct origin) at;
	VEC(uint64_t) reads;
	uint32_t base; /* number of the first one; those before it are not known any more */
};

void origins_release(struct origins *o);

/* The number of such an origin. */
uint32_t origins_add(struct origins *o, const struct origin_clock *now, const struct read_set *set);
/* Adds to the set what the thread depends on now that reads a value of this origin. */
void origins_gather(const struct origins *o, uint32_t origin, const struct origin_clock *now,
		    struct read_set *set);
/* Likewise, of a value that is in no memory: nobody can have changed it. */
void origins_gather_value(const struct origins *o, uint32_t origin, const struct origin_clock *now,
			  struct read_set *set);

#endif
