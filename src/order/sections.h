/*
 * Critical sections as wcp, sdp, dc and wdp need them: what a thread knew when it left
 * one, found again by the accesses in it and by the order in which sections on a lock
 * began and ended.
 *
 * A section is named by a reference that outlives it: once it was forgotten, because every
 * thread knows of its end or because a limit said so, the reference leads nowhere.
 */
#ifndef ORDER_SECTIONS_H
#define ORDER_SECTIONS_H

#include "order/kind.h"

struct section {
	uint32_t thread, slot;
	uint32_t acquire_time, release_time; /* release 0: still open */
	uint32_t number;		     /* held.number */
	uint32_t generation;		     /* of references to this place; odd: in use */
	bool shared;
	struct clock known; /* clock[0] of its thread at the release */
};

/* One thread's last sections, shared or not, in which it read and wrote. */
struct touch {
	uint32_t thread;
	uint32_t next; /* + 1, 0: the last one */
	bool shared;
	uint64_t read, wrote; /* references, 0: none */
};

/* Touches by two numbers: a lock and a variable, or a thread and a variable. */
struct touches {
	struct touch_key {
		uint32_t a, b;
		uint32_t first; /* touch + 1; 0: the place is empty */
	} * keys;
	size_t key_size, key_count;
	VEC(struct touch) all;
	uint32_t free; /* + 1, 0: none */
};

/* The sections on a lock that may be needed for a1 → r2: oldest first. */
struct queued {
	uint32_t thread, acquire_time, release_time, number;
	uint64_t section;
};

struct queue {
	uint32_t slot;
	bool shared;
	VEC(struct queued) v;
};

struct lock_queues {
	VEC(struct queue) by_slot;
};

struct sections {
	VEC(struct section) all;
	VEC(uint32_t) free;
	VEC(struct lock_queues) locks; /* by lock number */
	uint64_t kept_bytes;	       /* an estimate of all that may be forgotten */
	size_t kept_last;	       /* sections that were left when we last forgot some */
};

/* A reference for h, to be kept in h->section. */
uint64_t sections_open(struct sections *s, const struct actor *t, const struct held *h);
void sections_close(struct sections *s, uint64_t reference, const struct actor *t,
		    const struct clock *known);
const struct section *sections_get(const struct sections *s, uint64_t reference);

/* The touches of (a, b); make: an empty list if there are none. Returns touch + 1. */
uint32_t touches_find(const struct touches *t, uint32_t a, uint32_t b);
struct touch *touches_of(struct touches *t, uint32_t a, uint32_t b, uint32_t thread, bool shared);

/*
 * r1 → e2 if e1 and e2 conflict: the clock learns what threads knew at the end of the
 * sections, on the locks that t holds, with accesses that conflict with this one. Then the
 * access is noted.
 */
void touches_apply(struct touches *touches, const struct sections *s, const struct actor *t,
		   const struct access *a, struct clock *clock);

/*
 * Adds a section that was just closed. The one before it, if nobody could learn of its
 * thread inside it (it began and ended at one time) nor at or after `since`, is of no use
 * beside the new one and goes.
 */
void queue_add(struct sections *s, uint32_t lock, uint64_t reference, uint32_t since);
/* The latest that began no later than `time`; NULL if there is none. */
const struct queued *queue_latest(const struct queue *q, uint32_t time);

/*
 * r1 → r2 if a1 → r2: at the release of h by t, for every section on the lock whose beginning
 * `clock` or `also` (or NULL) knows of, `clock` learns what its thread knew at its end.
 */
void sections_follow(struct sections *s, const struct actor *t, const struct held *h,
		     struct clock *clock, const struct clock *also);

/* The clock learns what is known at the end of that section. */
void sections_learn(const struct sections *s, uint64_t reference, struct clock *clock);

/*
 * Forgets every closed section whose end all threads know of, or, when more than `bytes`
 * are kept (0: no matter how many), the older half of all closed ones; true in that case.
 */
bool sections_forget(struct sections *s, struct touches *const *touches, size_t n,
		     const struct clock *known_to_all, uint64_t bytes);
/* The same, but only when there is enough to forget; for order_kind.collect. */
void sections_collect(struct sections *s, struct touches *const *touches, size_t n,
		      struct order *o);
void sections_release(struct sections *s);
void touches_release(struct touches *t);

#endif
