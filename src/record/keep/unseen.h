/* SPDX-License-Identifier: MIT */
/*
 * Who may have changed what. Code without hooks writes memory, and that shows only when somebody
 * reads it. The change was made in some stretch of such code (LOG_UNSEEN to the thread's next mark)
 * that lies between the last access to the variable and that read, at least in part: marks are
 * ordered with accesses (runtime/log.h). Which of them it was is not known; so each thread that has
 * any gets an `external`, in the first of its stretches and in the last. Then nobody reads the new
 * value before all of them, and nobody the old one behind any.
 *
 * The same holds of a variable that is read before anybody has accessed it: what it was at first is
 * not known either. But there is no access before, so the last stretch of each thread will
 * do.
 *
 * Times are numbers of records in the order of the merge. Changes are found in one pass, and are
 * due in the next, each behind the record of its time.
 */
#ifndef RECORD_KEEP_UNSEEN_H
#define RECORD_KEEP_UNSEEN_H

#include "record/log/image.h"
#include "record/keep/kept.h"
#include "record/keep/reached.h"

#include <stdbool.h>

/* There are no records of its thread in it. */
struct unseen_stretch {
	uint64_t begin, end; /* UINT64_MAX: it goes on */
};

/* There can be millions of them. */
struct unseen_change {
	uint32_t variable : 31;
	uint32_t changes : 1; /* else the value stays what it is */
	uint64_t value;
};

/* What is due in one thread behind the record of one time. */
struct unseen_batch {
	uint64_t key; /* that time + 1 */
	uint32_t thread;
	VEC(struct unseen_change) changes;
};

struct unseen_thread {
	VEC(struct unseen_stretch) stretches;
	KEYED(struct unseen_batch) batches;
	struct unseen_batch *latest; /* to which something was added; or NULL */
};

/*
 * Accesses between two marks come in any order, as far as code without hooks is concerned that runs
 * meanwhile. So it is the last access before the last mark that tells which stretches are too old.
 */
struct unseen_variable {
	uint64_t time;	  /* of its last access, or of its birth */
	uint64_t settled; /* of its last access or birth in an earlier era */
	uint32_t era;	  /* of the last access */
	bool accessed;
};

struct unseen {
	struct unseen_thread *threads;
	uint32_t thread_count;
	struct unseen_variable *variables;
	uint32_t era;		      /* marks so far */
	VEC(struct unseen_batch) due; /* in order, once the pass is over */
	size_t next, next_change;     /* of those, and of its changes */
	struct kept kept;
	struct reached reached;
	const struct image *image; /* as the program began */
	struct kept_order order;
};

void unseen_init(struct unseen *u, uint32_t threads, size_t variables, struct libraries *libraries);
void unseen_release(struct unseen *u);

/* Any mark; a thread goes into such code, or on with it; it comes out of it. */
void unseen_mark(struct unseen *u);
void unseen_begins(struct unseen *u, uint32_t thread, uint64_t time);
void unseen_ends(struct unseen *u, uint32_t thread, uint64_t time);
/* All that has come to its end is to be forgotten: it precedes all that other threads do. */
void unseen_forget(struct unseen *u);

void unseen_born(struct unseen *u, uint32_t variable, uint64_t time);
/* A read by this thread that shows `value`, which nobody has written. Then: any access. */
void unseen_changed(struct unseen *u, uint32_t variable, uint64_t value);
void unseen_first_read(struct unseen *u, uint32_t variable, uint64_t value);
void unseen_accessed(struct unseen *u, uint32_t variable, uint64_t time);

/* The pass is over. */
void unseen_sort(struct unseen *u);
/* The next of the changes behind the record of that time, in order of threads; NULL: no more. */
const struct unseen_change *unseen_due(struct unseen *u, uint64_t time, uint32_t *thread);

#endif
