/* SPDX-License-Identifier: MIT */
/*
 * The order that a merge has found, for those who need it once more: which lane went on for how
 * many records, then which. Threads that meet often make many runs; beyond a number of them the
 * order is given up, so that this takes little memory whatever the log is.
 */
#ifndef RECORD_MERGE_RUNS_H
#define RECORD_MERGE_RUNS_H

#include "base/mem.h"

#include <stdbool.h>

#define RUNS_MOST ((size_t)1 << 20)

struct run {
	uint32_t lane;
	uint32_t records;
};

struct runs {
	VEC(struct run) at;
	bool lost;     /* the order has to be found anew */
	size_t next;   /* to be followed */
	uint32_t done; /* records of that one */
};

void runs_add(struct runs *r, uint32_t lane, uint32_t n);
void runs_lose(struct runs *r);
void runs_release(struct runs *r);

/* The lane's next n records are the next of all. */
static inline void runs_note(struct runs *r, uint32_t lane, uint32_t n)
{
	struct run *last = r->at.n ? &r->at.at[r->at.n - 1] : NULL;

	if (last && last->lane == lane && last->records <= UINT32_MAX - n)
		last->records += n;
	else
		runs_add(r, lane, n);
}

/* Whose record is next; false at the end, and *lane stays. */
static inline bool runs_next(struct runs *r, uint32_t *lane)
{
	if (r->next == r->at.n)
		return false;
	const struct run *run = &r->at.at[r->next];

	*lane = run->lane;
	if (++r->done == run->records) {
		r->next++;
		r->done = 0;
	}
	return true;
}

#endif
