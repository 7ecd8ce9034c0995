/* SPDX-License-Identifier: MIT */
/* What the survey knows of 8 aligned bytes. */
#ifndef RECORD_KEEP_GRANULE_H
#define RECORD_KEEP_GRANULE_H

#include "record/keep/handed.h"

#define GRANULE_SHARED UINT16_MAX /* several threads at the same time */

/* struct granule, flags */
/* a read showed another value than the one before, or what its own thread may have written in code
 * without hooks, and nobody had written */
#define GRANULE_CHANGED 1
#define GRANULE_FREED 2	   /* of a heap block that is no more */
#define GRANULE_BENEATH 4  /* it was stashed */
#define GRANULE_LATE 8	   /* written when there were threads, or what was written is not known */
#define GRANULE_DANGLED 32 /* used while it was GRANULE_FREED: that is kept */
#define GRANULE_UNSURE 16  /* code without hooks in another thread may have written it */
#define GRANULE_HANDED \
	64 /* and 128, of the upper half: several threads had it, one after the other */

/* struct granule, time: above HANDED_TIMES */
#define GRANULE_UNCERTAIN (UINT32_C(1) << 31) /* somebody wrote it who was */
#define GRANULE_UNFIT (UINT32_C(1) << 30)     /* it cannot be left out if it is handed over */

/* What is known of 8 bytes. Threads and sites for each half. While they are GRANULE_FREED and
 * nobody touches them, value and site tell of the block that was there: see bury. */
struct granule {
	/* the bytes in `read` as first read; the others in `written` as last written */
	uint64_t value;
	/* of the first access that started here, with the byte where above bit 24 */
	uint32_t site[2];
	uint32_t time[2];   /* of the last access: handed.h */
	uint16_t thread[2]; /* + 1, of the last one; GRANULE_SHARED: others had it at the same time
			     */
	uint8_t read;	    /* bytes read before anybody wrote them */
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

/* These bytes of it were read. */
static inline void granule_read(struct granule *g, uint8_t bytes, uint64_t value)
{
	uint8_t seen = bytes & g->read & ~g->written;
	uint8_t fresh = bytes & ~(g->read | g->written);

	if (seen && (g->value ^ value) & granule_mask(seen))
		g->flags |= GRANULE_CHANGED;
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
	g->flags |= GRANULE_LATE;
	g->time[0] |= GRANULE_UNFIT;
	g->time[1] |= GRANULE_UNFIT;
}

/* Of a block that is no more, and nobody has touched it since. */
static inline bool granule_is_untouched(const struct granule *g)
{
	return g->flags & GRANULE_FREED && !(g->read | g->written);
}

/* And what it tells of that block. */
void granule_forget_buried(struct granule *g);
/* What else is known of the same bytes. */
void granule_unite(struct granule *to, const struct granule *from);

/* Nobody writes it, or only the first thread did while it was alone: it is the same for all. */
static inline bool granule_is_constant(const struct granule *g)
{
	return !(g->flags & (g->written ? GRANULE_CHANGED | GRANULE_LATE : GRANULE_CHANGED));
}

/* So far: several threads had it, one after the other, and it is not as good as a constant anyway.
 */
static inline bool granule_may_be_handed(const struct granule *g)
{
	return g->flags >= GRANULE_HANDED && g->flags & GRANULE_LATE &&
	       g->thread[0] != GRANULE_SHARED && g->thread[1] != GRANULE_SHARED;
}

#endif
