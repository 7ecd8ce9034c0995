/* SPDX-License-Identifier: MIT */
/*
 * Where bytes in the memory of one thread are from. Such memory is not in the trace; what is read
 * there is what was last written there, so that an origin is a value (record/write/terms.h) and
 * where it was put. Bytes of several values in half a granule have an origin each: a split one.
 *
 * It holds as long as nobody else can have written there. A thread's `era` counts the stretches of
 * code without hooks that it has been in, and the times that it has heard from outside: what was
 * written in an earlier one is not known, unless nobody could reach it (record/keep/reached.h).
 */
#ifndef RECORD_WRITE_ORIGINS_H
#define RECORD_WRITE_ORIGINS_H

#include "record/write/terms.h"

#define ORIGIN_UNKNOWN 0

struct origin {
	struct value value; /* if fixed, its bytes are not kept here */
	uint64_t base;	    /* address of its first byte */
	uint32_t thread, era;
	uint32_t split; /* 0, or 1 + the first of the origins of four bytes, in origins.split */
	uint8_t size;	/* bytes of the value */
};

struct origins {
	VEC(struct origin) at; /* by number - 1 */
	VEC(uint32_t) split;
	VEC(uint32_t) moved; /* while they are collected; 0: not needed, so far */
	uint32_t fixed;	     /* the latest one that depends on nothing */
	size_t most;
};

void origins_init(struct origins *o);
void origins_release(struct origins *o);

/* The number of such an origin. */
uint32_t origins_add(struct origins *o, const struct origin *origin);
/* Of four bytes: `new` for those in the mask, `old` for the others. */
uint32_t origins_mix(struct origins *o, uint32_t old, uint32_t new, uint8_t mask);
/* Of one of the four bytes; NULL: unknown. */
uint32_t origins_of_byte(const struct origins *o, uint32_t number, unsigned byte);

static inline const struct origin *origins_get(const struct origins *o, uint32_t number)
{
	return number ? &o->at.at[number - 1] : NULL;
}

/* Collecting those that no memory has any more: each that one has is marked, then moved. */
static inline bool origins_are_many(const struct origins *o)
{
	return o->at.n >= o->most;
}

void origins_collect_begin(struct origins *o);
void origins_mark(struct origins *o, uint32_t number);
void origins_collect_end(struct origins *o);
static inline uint32_t origins_moved(const struct origins *o, uint32_t number)
{
	return number ? o->moved.at[number - 1] : 0;
}

#endif
