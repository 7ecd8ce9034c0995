/* SPDX-License-Identifier: MIT */
/*
 * Memory that threads hand over by fork and join. If all accesses to it of different threads are
 * ordered by those, they come in the same order in every feasible execution: each read sees the
 * same write. So there is no race, and if what was written is the same in every execution, so is
 * what is read: it is as good as a constant, and does not have to be in the trace.
 *
 * It is the same if the thread that wrote it had read nothing but such memory, its own, and
 * constants: then it is *certain*. Which memory is shared in another way is known only at the end.
 * So the survey is made twice, if there is much to be gained: the first time finds that memory, the
 * second time follows who read it.
 *
 * A free that comes behind all other accesses by fork and join hands nothing over: whoever used the
 * memory, the free is in nobody's way.
 */
#ifndef RECORD_KEEP_HANDED_H
#define RECORD_KEEP_HANDED_H

#include "base/pages.h"

#include <stdint.h>

#define HANDED_THREADS 1024 /* with more it is not followed */
#define HANDED_NOBODY UINT32_MAX

/* Times of a thread: between its forks. */
#define HANDED_TIMES ((UINT32_C(1) << 30) - 1)

struct handed {
	uint32_t threads; /* 0: it is not followed */
	uint32_t *times;  /* of each thread, now */
	uint32_t *known;  /* by thread and other: what that did before this time is over */
	bool *uncertain;  /* by thread */
	bool *forked;	  /* by thread; the first one is not */
	/* The thread that is the only one left: each that was forked has been joined, by this one
	 * or by one that this one has joined. So who comes later is forked by it. */
	uint32_t alone;
	bool lost;	     /* some were forked that have no number here */
	bool second;	     /* the survey is made for the second time, */
	struct pages shared; /* and these are shared in another way: uint8_t */
	uint64_t accesses;   /* to memory that was handed over, and to any */
	uint64_t all;
};

void handed_init(struct handed *h, uint32_t threads);
void handed_release(struct handed *h);
/* From the start, for the second time. */
void handed_again(struct handed *h);
/* Whether that is worth it. */
bool handed_is_much(const struct handed *h);

void handed_fork(struct handed *h, uint32_t thread, uint64_t child);
void handed_join(struct handed *h, uint32_t thread, uint64_t other);

static inline uint32_t handed_time(const struct handed *h, uint32_t thread)
{
	return thread < h->threads ? h->times[thread] : 0;
}

/* Whether what the other one did at that time comes before what the thread does now. */
static inline bool handed_before(const struct handed *h, uint32_t other, uint32_t time,
				 uint32_t thread)
{
	return thread < h->threads && other < h->threads &&
	       time < h->known[(size_t)thread * h->threads + other];
}

static inline bool handed_is_alone(const struct handed *h, uint32_t thread)
{
	return thread < h->threads && thread == h->alone && !h->lost;
}

/* The first time: this granule is shared in another way. */
void handed_note_shared(struct handed *h, uint64_t granule);
/* The second time. */
static inline bool handed_is_shared(struct handed *h, uint64_t granule)
{
	const uint8_t *cell = pages_cell(&h->shared, granule, false);

	return cell && *cell;
}

#endif
