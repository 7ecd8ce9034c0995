/* SPDX-License-Identifier: MIT */
/*
 * A trace of any size that is nearly all locks, with planted deadlocks and planted cycles that
 * cannot be one. The background takes a thousand locks, nested and always in the same order, and
 * some more in any order but behind a gate; nothing in it depends on what anybody reads.
 *
 * Each planted item has its own objects and its own source file, deadlock-17-orders.c or
 * near-5-gate.c. So a result can be checked by name.
 *
 * Why the claims hold in the large. Of a near one: whether its events can happen depends on
 * its own objects, so each execution of the trace holds one of the item alone, and for that the
 * exhaustive engine says that there is none (tests/unit/planted.c). Of a deadlock: nobody holds a
 * lock where an item begins, the background waits for nobody, and all other threads go on whatever
 * a thread of the item does not do any more: those which need each other stay among themselves.
 */
#ifndef SUPPORT_LOCK_PLANTED_H
#define SUPPORT_LOCK_PLANTED_H

#include "base/output.h"
#include "tests/support/maker.h"

struct lock_plant {
	struct maker *m;
	const struct lock_planted_kind *kind;
	uint32_t number;
	uint32_t line;	  /* last used */
	uint32_t main;	  /* a thread that is not a, b or c */
	uint32_t a, b, c; /* threads */
	uint32_t p, q, r; /* locks */
	uint32_t gate;	  /* a lock */
	uint64_t event;	  /* between the halves */
};

struct lock_planted_kind {
	const char *name;
	bool deadlock;
	/* Its threads need each other: two that no other deadlock has, or those might not get on.
	 */
	bool bound;
	bool at_once; /* nothing comes between its halves */
	void (*open)(struct lock_plant *p);
	void (*close)(struct lock_plant *p);
};

extern const struct lock_planted_kind lock_planted_kinds[];
extern const size_t lock_planted_kind_count;

/* A trace of one item alone. */
int lock_planted_write_one(const struct lock_planted_kind *kind, struct output *out,
			   const char *format, struct err *err);

struct lock_planted_size {
	uint64_t events;  /* acquires and releases, about */
	uint32_t threads; /* at least 6 */
	uint32_t locks;
	uint32_t items; /* the kinds in turn */
	uint64_t seed;
};

/* Every other item spans a twentieth of the trace. */
int lock_planted_write(const struct lock_planted_size *size, struct output *out, const char *format,
		       struct err *err);

/* What a report has of these. */
struct predicted;

struct lock_planted_score {
	uint32_t there, found, missed;
	uint32_t wrong;	       /* findings that are none of them */
	uint32_t first_missed; /* the number of an item, if any was missed */
};

struct lock_planted_score lock_planted_judge(const struct predicted *p, uint32_t items);

#endif
