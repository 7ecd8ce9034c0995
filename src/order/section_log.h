/* SPDX-License-Identifier: MIT */
/*
 * Critical sections as wcp, sdp, dc and wdp need them: what a thread knew when it left
 * one, found again by the accesses in it and by the order in which sections on a lock
 * began and ended.
 *
 * A section is named by a reference that outlives it: once it was forgotten, because every
 * thread knows of its end or because a limit said so, the reference leads nowhere.
 */
#ifndef ORDER_SECTION_LOG_H
#define ORDER_SECTION_LOG_H

#include "order/touches.h"

struct logged_section {
	uint32_t thread, slot;
	uint32_t acquire_time, release_time; /* release 0: still open */
	uint32_t number;		     /* open_section.number */
	uint32_t generation;		     /* of references to this place; odd: in use */
	bool shared;
	bool marked;	    /* while some are forgotten: something refers to it */
	struct clock known; /* clock[0] of its thread at the release */
};

/* The sections on a lock that may be needed for a1 → r2: oldest first. */
struct queued_section {
	uint32_t thread, acquire_time, release_time, number;
	uint64_t section;
};

struct section_queue {
	uint32_t slot;
	bool shared;
	uint32_t first_acquire, last_release; /* of what it has; the last is never taken back */
	VEC(struct queued_section) v;
};

struct lock_queues {
	VEC(struct section_queue) by_slot;
	VEC(uint32_t) places; /* in by_slot + 1, of each slot: not shared, shared */
};

struct section_log {
	VEC(struct logged_section) all;
	VEC(uint32_t) free;
	VEC(struct lock_queues) locks; /* by lock number */
	uint64_t kept_bytes;	       /* an estimate of all that may be forgotten */
	size_t kept_last;	       /* sections that were left when we last forgot some */
};

/* A reference for h, to be kept in h->section. */
uint64_t section_log_open(struct section_log *s, const struct actor *t,
			  const struct open_section *h);
void section_log_close(struct section_log *s, uint64_t reference, const struct actor *t,
		       const struct clock *known);
const struct logged_section *section_log_get(const struct section_log *s, uint64_t reference);

/*
 * Adds a section that was just closed. The one before it, if nobody could learn of its
 * thread inside it (it began and ended at one time) nor at or after `since`, is of no use
 * beside the new one and goes.
 */
void section_queue_add(struct section_log *s, uint32_t lock, uint64_t reference, uint32_t since);
/* The latest that began no later than `time`; NULL if there is none. */
const struct queued_section *section_queue_latest(const struct section_queue *q, uint32_t time);

/*
 * r1 → r2 if a1 → r2: at the release of h by t, for every section on the lock whose beginning
 * `clock` or `also` (or NULL) knows of, `clock` learns what its thread knew at its end.
 */
void section_log_follow(struct section_log *s, const struct actor *t, const struct open_section *h,
			struct clock *clock, const struct clock *also);

/* The clock learns what is known at the end of that section. */
void section_log_learn(const struct section_log *s, uint64_t reference, struct clock *clock);

/* To be told of by whoever refers to a section, when section_log_collect asks. */
void section_log_mark(struct section_log *s, uint64_t reference);

/* What refers to sections, beside the queues. */
struct section_users {
	struct touches *touches[2]; /* or NULL */
	void (*mark)(struct order *o);
};

/*
 * For order_kind.collect: when there is enough to forget, forgets every closed section whose
 * end all threads know of, or that nothing refers to; and when more are kept than the limit
 * allows, the older half of all closed ones. False if it did not look.
 */
bool section_log_collect(struct section_log *s, const struct section_users *users, struct order *o);
void section_log_release(struct section_log *s);

#endif
