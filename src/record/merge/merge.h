/* SPDX-License-Identifier: MIT */
/*
 * The order of a run: all records of all threads, one after the other, as they happened
 * (runtime/log.h, Order). A topological sort by shard versions, program order, fork and join; a
 * thread goes on for as long as it can. The same log gives the same order each time.
 *
 * A write at version v comes after all reads at v. To know these, each thread's log is looked
 * through ahead, up to the latest time at which the write can have happened.
 *
 * Marks come in the order of their numbers, each as late as can be: after all that others did
 * before it, and before what they did when they knew of it.
 *
 * If nobody can go on although records are left, the log is damaged or was cut: what came out so
 * far is a run all the same, and merge_left says how much was left out.
 */
#ifndef RECORD_MERGE_MERGE_H
#define RECORD_MERGE_MERGE_H

#include "record/log/raw.h"

struct merge;

struct merged {
	uint32_t thread;
	uint32_t words;
	uint64_t position;	/* of its first word in the thread's log */
	const uint64_t *w;	/* valid until the next call */
	const uint64_t *second; /* LOG_PART: its second part, which happened with it; or NULL */
};

struct merge *merge_new(struct raw_log *log);
void merge_free(struct merge *m);

bool merge_next(struct merge *m, struct merged *r);
/*
 * From now on, until the end, without most records that only say what others depend on. They order
 * nothing and are no accesses: the order is the same.
 */
void merge_skip_depends(struct merge *m);
/*
 * After the end: the same records in the same order, from the start. Takes the merge and returns
 * it, or another one that finds the order anew, if that is too long to be kept
 * (record/merge/runs.h).
 */
struct merge *merge_again(struct merge *m);

/*
 * What comes next in that second time, up to the end of a block at most: `records` of one thread,
 * one after the other. False: the order was not kept, or another thread is next.
 */
struct stretch {
	uint32_t thread, records;
	uint64_t position; /* of the first one */
	const uint64_t *w, *end;
};
bool merge_stretch(const struct merge *m, struct stretch *s);
/* Any block of a thread that is under way; NULL: there is none. */
const uint64_t *merge_block(const struct merge *m, uint32_t thread, uint64_t block,
			    struct raw_words *words);
/* Some of these records are done with; the next one stands at `to`. */
void merge_pass(struct merge *m, const uint64_t *to, uint32_t records);
/*
 * Behind a record, with merge_skip_depends: the plain accesses (merge_is_plain) that come next in
 * its thread and its block, up to the first record that is neither that nor left out. False: none.
 */
bool merge_take(struct merge *m, struct stretch *s);
static inline bool merge_is_access(const uint64_t *w)
{
	uint8_t kind = LOG_KIND_OF(*w);

	return kind >= LOG_READ && kind <= LOG_RMW;
}

/* In one record of three words, within a line, and nothing is said of it. */
static inline bool merge_is_plain(const uint64_t *w)
{
	uint8_t kind = LOG_KIND_OF(*w);

	return (kind == LOG_READ || kind == LOG_WRITE) && (w[1] >> 48) - 1 < 8;
}

/* After the end. Records that could not be put in order; logs that end in damage. */
uint64_t merge_left(struct merge *m);
uint32_t merge_damaged(const struct merge *m);
/* The most reads that were ever held in mind, for tests of bounded memory. */
size_t merge_most_pending(const struct merge *m);

#endif
