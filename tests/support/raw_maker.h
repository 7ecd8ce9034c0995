/* SPDX-License-Identifier: MIT */
/*
 * Raw logs (runtime/log.h) of runs that never were: a simulator takes random steps of random
 * threads, one after the other, and logs them as the runtime would. So the real order is known:
 * every write has a value of its own, and a read that the merge puts in the wrong place shows
 * a value that is not there.
 *
 * With `unseen`, threads go into code without hooks and come out again, with marks, and there they
 * write words without a record. Then all accesses are of whole words that all share.
 */
#ifndef SUPPORT_RAW_MAKER_H
#define SUPPORT_RAW_MAKER_H

#include "record/log/raw.h"
#include "tests/support/random.h"

struct raw_knobs {
	uint64_t seed;
	uint32_t threads; /* at most RAW_THREADS */
	uint32_t steps;
	uint32_t words; /* of memory that all share */
	bool slow;	/* a thread that logs little and is not seen for long */
	bool unseen;
	bool at_once; /* such code does one thing at a time, and nobody else does anything meanwhile
		       */
};

#define RAW_THREADS 16

/* A write without a record; each has a value of its own. */
struct raw_unseen {
	uint64_t value;
	uint32_t thread;
	uint64_t writes; /* with a record, that its thread had done */
	bool alone;	 /* before there were other threads */
};

struct raw_file {
	VEC(uint64_t) words;
};

struct raw_run {
	struct raw_file files[RAW_THREADS];
	uint32_t threads;
	uint64_t records; /* without LOG_TIME, dependences, values, calls and marks */
	uint32_t marks;
	VEC(struct raw_unseen) unseen;
	uint64_t seen_later; /* reads of what another thread wrote unseen, not alone */
};

struct raw_run *raw_run_make(const struct raw_knobs *knobs);
void raw_run_free(struct raw_run *run);
/* The log in memory; it lives as long as the run. */
void raw_run_lend(const struct raw_run *run, struct raw_log *log);
/* Cuts a thread's log behind a random record. */
void raw_run_cut(struct raw_run *run, uint32_t thread, struct random *r);

#endif
