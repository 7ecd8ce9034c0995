/* SPDX-License-Identifier: MIT */
/*
 * What the survey knows of a granule, 8 aligned bytes: who had them, and what was in them.
 */
#ifndef RECORD_KEEP_GRANULE_H
#define RECORD_KEEP_GRANULE_H

#include "record/keep/handed.h"
#include "record/keep/layout.h"

#include <stdbool.h>

#define SHARED UINT16_MAX

/* struct granule, flags */
/* a read showed another value than the one before, or what its own thread may have written in code
 * without hooks, and nobody had written */
#define CHANGED 1
#define FREED 2	   /* of a heap block that is no more */
#define BENEATH 4  /* it was stashed */
#define LATE 8	   /* written when there were threads, or what was written is not known */
#define DANGLED 32 /* used while it was FREED: that is kept */
#define UNSURE 16  /* code without hooks in another thread may have written it */
#define HANDED 64  /* and 128, of the upper half: several threads had it, one after the other */

/* struct granule, time: above HANDED_TIMES */
#define UNCERTAIN (UINT32_C(1) << 31) /* somebody wrote it who was */
#define UNFIT (UINT32_C(1) << 30)     /* it cannot be left out if it is handed over */

/* What is known of 8 bytes. Threads and sites for each half: of who wrote it last or, if nobody
 * did, had it first, and of those who have read it since. While they are FREED and nobody touches
 * them, value and site tell of the block that was there: see granule_bury. */
struct granule {
	/* the bytes in `read` as first read; the others in `written` as last written */
	uint64_t value;
	/* of the first access that started here, with the byte where above bit 24 */
	uint32_t site[2];
	uint32_t time[2];    /* handed.h */
	uint32_t readers[2]; /* other than that thread at that time */
	uint16_t thread[2];  /* + 1; SHARED: others had it at the same time */
	uint8_t read;	     /* bytes read before anybody wrote them */
	uint8_t written;
	uint8_t cuts;
	uint8_t flags;
};

static inline uint64_t granule_mask(uint8_t bytes)
{
	/* byte b has bit b alone; then each that has any gets the highest bit, and from that all */
	uint64_t bits = bytes * 0x0101010101010101u & 0x8040201008040201u;

	return ((bits + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u) * 0xff;
}

static inline void granule_read(struct granule *g, uint8_t bytes, uint64_t value)
{
	uint8_t seen = bytes & g->read & ~g->written;
	uint8_t fresh = bytes & ~(g->read | g->written);

	if (seen && (g->value ^ value) & granule_mask(seen))
		g->flags |= CHANGED;
	if (fresh) {
		g->value |= value & granule_mask(fresh);
		g->read |= fresh;
	}
}

/* What was written early stays as it is, or somebody unknown has changed it. */
static inline void granule_hold(struct granule *g, uint8_t bytes, uint64_t value)
{
	uint8_t known = bytes & g->written & ~g->read;

	if (!((g->value ^ value) & granule_mask(known)))
		return;
	g->flags |= LATE;
	g->time[0] |= UNFIT;
	g->time[1] |= UNFIT;
}

/* Nobody writes it, or only the first thread did while it was alone: it is the same for all. */
static inline bool granule_is_constant(const struct granule *g)
{
	return !(g->flags & (g->written ? CHANGED | LATE : CHANGED));
}

/* So far: several threads had it, one after the other, and it is not as good as a constant anyway.
 */
static inline bool granule_may_be_handed(const struct granule *g)
{
	return g->flags >= HANDED && g->flags & LATE && g->thread[0] != SHARED &&
	       g->thread[1] != SHARED;
}

static inline uint8_t granule_half(unsigned half)
{
	return (uint8_t)(0xfu << (4 * half));
}

static inline bool granule_is_of(const struct granule *g, unsigned half, uint16_t thread,
				 uint32_t time)
{
	return g->thread[half] == thread && (g->time[half] & HANDED_TIMES) == time;
}

/* Whether the thread had these bytes in this way at this time, or several had them anyway. */
static inline bool granule_is_had(const struct granule *g, struct handed *h, uint8_t bytes,
				  uint16_t thread, uint32_t time, bool writes)
{
	for (unsigned half = 0; half < 2; half++) {
		uint32_t readers = g->readers[half];

		if (!(bytes & granule_half(half)) || g->thread[half] == SHARED ||
		    (granule_is_of(g, half, thread, time) && !(writes && readers)))
			continue;
		if (writes || !readers || !handed_is_reader(h, readers, thread - 1u))
			return false;
	}
	return true;
}

static inline bool granule_is_untouched(const struct granule *g)
{
	return g->flags & FREED && !(g->read | g->written);
}

/* What there is to say of the block, in a granule that nobody needs. */
static inline void granule_bury(struct granule *g, const struct layout_block *b)
{
	g->flags = FREED;
	g->value = b->freed | (uint64_t)(uint16_t)b->freed_by << LOG_ADDRESS_BITS;
	g->site[0] = (uint32_t)b->made;
	g->site[1] = (uint32_t)(b->made >> 32 & 0xffff) | b->made_by << 16;
}

static inline struct layout_block granule_dig_out(const struct granule *g, uint64_t address)
{
	uint64_t most = ((uint64_t)1 << LOG_ADDRESS_BITS) - 1;

	return (struct layout_block){.address = address,
				     .freed = g->value & most,
				     .freed_by = (uint32_t)(g->value >> LOG_ADDRESS_BITS),
				     .made = g->site[0] | (uint64_t)(g->site[1] & 0xffff) << 32,
				     .made_by = g->site[1] >> 16};
}

static inline void granule_forget(struct granule *g)
{
	if (!granule_is_untouched(g))
		return;
	g->value = 0;
	g->site[0] = g->site[1] = 0;
}

#endif
