/* SPDX-License-Identifier: MIT */
/*
 * Memory that threads hand over by fork, join and barriers. If each write of it is ordered with all
 * accesses of other threads by those, they come in the same order in every feasible execution: each
 * read sees the same write. So there is no race, and if what was written is the same in every
 * execution, so is what is read: it is as good as a constant, and does not have to be in the trace.
 *
 * It is the same if the thread that wrote it had read nothing but such memory, its own, and
 * constants: then it is *certain*. Which memory is shared in another way is known only at the end.
 * So the survey is made twice, if there is much to be gained: the first time finds that memory, the
 * second time follows who read it. If there is none, nobody did, and once is enough.
 *
 * A free that comes behind all other accesses by these hands nothing over: whoever used the memory,
 * the free is in nobody's way.
 *
 * Threads have *seats*. Who is forked behind the join of another one takes the seat of that one, as
 * if it went on: so a program that makes threads again and again needs only a few.
 */
#ifndef RECORD_KEEP_HANDED_H
#define RECORD_KEEP_HANDED_H

#include "base/counts.h"
#include "base/pages.h"

#include <stdint.h>

#define HANDED_SEATS 1024 /* threads beyond are not followed */
#define HANDED_NOBODY UINT32_MAX
#define HANDED_LATEST 64

/* Times of a seat: between forks and barriers of who sits there. */
#define HANDED_TIMES ((UINT32_C(1) << 30) - 1)

/* Those who entered a round of a barrier, and what they knew. */
struct handed_round {
	uint32_t *known; /* by seat */
	uint32_t entered, left;
};

struct handed_barrier {
	uint32_t parties;
	uint32_t round;
	/* by round, modulo: nobody enters the next but one before all have left */
	struct handed_round rounds[2];
};

/* Who read a granule since it was written. */
struct handed_reader {
	uint32_t seat, time;
};

struct handed_readers {
	uint32_t first, n;
};

struct handed {
	uint32_t threads; /* 0: it is not followed */
	uint32_t room;	  /* seats that there can be */
	uint32_t seats;
	uint32_t *seat;	    /* by thread; HANDED_NOBODY: none */
	uint32_t *sits;	    /* by seat: the last thread that took it */
	uint32_t *times;    /* of each seat, now */
	uint32_t *known;    /* by seat and other: what was done there before this time is over */
	bool *uncertain;    /* by thread */
	uint32_t *ended;    /* by thread: when, as its seat counts, + 1; 0: it was not joined */
	uint32_t *inside;   /* by thread: the round of a barrier that it has entered */
	VEC(uint32_t) left; /* seats whose threads were joined */
	VEC(struct handed_barrier) barriers; /* by object */
	VEC(struct handed_reader) readers;
	VEC(struct handed_readers) sets; /* of them; the first one is empty */
	struct counts larger;		 /* by set and reader: the set with it, + 1 */
	/* of these that were asked for: those that are in the set, by their hash */
	uint64_t latest[HANDED_LATEST];
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
/* Behind the first time: nothing is shared in another way, so nobody can have read such memory. */
bool handed_are_certain(const struct handed *h);

void handed_fork(struct handed *h, uint32_t thread, uint64_t child);
void handed_join(struct handed *h, uint32_t thread, uint64_t other);
/* Barriers, by the number of the object; only those whose parties are known are followed. */
void handed_open(struct handed *h, uint32_t barrier, uint32_t parties);
void handed_enter(struct handed *h, uint32_t thread, uint32_t barrier);
void handed_leave(struct handed *h, uint32_t thread, uint32_t barrier);

static inline uint32_t handed_seat(const struct handed *h, uint32_t thread)
{
	return thread < h->threads ? h->seat[thread] : HANDED_NOBODY;
}

static inline uint32_t handed_time(const struct handed *h, uint32_t thread)
{
	uint32_t seat = handed_seat(h, thread);

	return seat != HANDED_NOBODY ? h->times[seat] : 0;
}

/* Whether what was done on that seat at that time comes before what is done on this one now. */
static inline bool handed_seat_before(const struct handed *h, uint32_t other, uint32_t time,
				      uint32_t seat)
{
	return seat != HANDED_NOBODY && other != HANDED_NOBODY &&
	       time < h->known[(size_t)seat * h->room + other];
}

static inline bool handed_before(const struct handed *h, uint32_t other, uint32_t time,
				 uint32_t thread)
{
	return handed_seat_before(h, handed_seat(h, other), time, handed_seat(h, thread));
}

/*
 * Sets of readers, by number; 0: none. The thread is added as of now; of the others, those that
 * come before it may be left out. HANDED_NOBODY: there are too many sets.
 */
uint32_t handed_add_reader(struct handed *h, uint32_t readers, uint32_t thread);
/* 20 bits of the set, 10 of the seat, 30 of the time. */
static inline uint64_t handed_reader_key(const struct handed *h, uint32_t readers, uint32_t seat)
{
	return (uint64_t)readers << 40 | (uint64_t)seat << 30 | h->times[seat];
}

/* Whether the thread is in the set, as of now. Threads read much that has the same readers. */
static inline bool handed_is_reader(struct handed *h, uint32_t readers, uint32_t thread)
{
	uint32_t seat = handed_seat(h, thread);

	if (seat == HANDED_NOBODY)
		return false;
	uint64_t key = handed_reader_key(h, readers, seat);
	uint64_t *latest = &h->latest[(readers ^ seat << 3) % HANDED_LATEST];

	if (key != *latest && handed_add_reader(h, readers, thread) == readers)
		*latest = key;
	return key == *latest;
}

/* Whether all of them come before what the thread does now. */
bool handed_readers_before(const struct handed *h, uint32_t readers, uint32_t thread);

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
