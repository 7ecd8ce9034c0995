/* SPDX-License-Identifier: MIT */
/*
 * Random traces that are consistent by construction. A little model of the threads, written
 * from doc/model.md and sharing nothing with src/, takes one step after the other and prints
 * only what can happen. Values are small, so that equal values of different writers are
 * common. The same knobs give the same text everywhere.
 */
#ifndef SUPPORT_RANDOM_TRACE_H
#define SUPPORT_RANDOM_TRACE_H

#include <stdint.h>

/* What a trace may hold beside the plain: accesses, locks, branches, forks, volatile, init. */
enum random_feature {
	RANDOM_READS = 1 << 0,	    /* reads= */
	RANDOM_EXPRS = 1 << 1,	    /* = and if, every operator */
	RANDOM_AT = 1 << 2,	    /* at= */
	RANDOM_ATOMIC = 1 << 3,	    /* rmw and order= */
	RANDOM_SHARED = 1 << 4,	    /* read-write locks */
	RANDOM_TRY = 1 << 5,	    /* try-fail */
	RANDOM_CONDITIONS = 1 << 6, /* wait, woken, signal, broadcast */
	RANDOM_BARRIERS = 1 << 7,
	RANDOM_SEMAPHORES = 1 << 8,
	RANDOM_ONCE = 1 << 9,
	RANDOM_ALLOC = 1 << 10, /* alloc and free */
	RANDOM_EXTERNAL = 1 << 11,
	RANDOM_MARKS = 1 << 12,
	RANDOM_MULTI = 1 << 13,	 /* accesses of several variables */
	RANDOM_MEMORY = 1 << 14, /* variables with a place in memory, overlapping */
	RANDOM_LOCATIONS = 1 << 15,
	RANDOM_META = 1 << 16,
	RANDOM_SPELLING = 1 << 17, /* comments, hexadecimal, odd names, late declarations, skip= */
	RANDOM_SCOPES = 1 << 18,   /* of branches */
	RANDOM_OPAQUE = 1 << 19,   /* branches */
	RANDOM_EVERYTHING = (1 << 20) - 1,
	RANDOM_LOCKY = 1 << 20,	  /* mostly locks */
	RANDOM_VALUES = 1 << 21,  /* accesses and branches alone */
	RANDOM_REGIONS = 1 << 22, /* atomic ones, by marks */
};

#define RANDOM_THREADS_MAX 8
#define RANDOM_VARIABLES_MAX 16
#define RANDOM_LOCKS_MAX 8

struct random_trace {
	uint64_t seed;
	uint32_t threads, events, variables, locks; /* at most; all but events at least 1 */
	uint32_t features;
};

/* The trace as text, for the caller to free. */
char *random_trace_make(const struct random_trace *knobs);

/*
 * Knobs that differ from seed to seed: 2 to 4 threads, a few variables and locks, at most that
 * many events, and each feature of those allowed in every other trace (but all in every eighth).
 */
struct random_trace random_trace_knobs(uint64_t seed, uint32_t events, uint32_t allowed);

#endif
