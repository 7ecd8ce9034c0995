/* SPDX-License-Identifier: MIT */
/*
 * The second pass: writes the trace. It follows the same records as the survey, knows the layout,
 * and makes each record an event, or drops it (doc/recording.md). What comes out is consistent,
 * whatever the log says.
 *
 * A run with marks (runtime/log.h) is rehearsed first: a writer without a sink finds what code
 * without hooks changed, and keeps it in `unseen`; the one that writes has it from there.
 */
#ifndef RECORD_WRITE_WRITER_H
#define RECORD_WRITE_WRITER_H

#include "record/write/lookups.h"
#include "record/write/names.h"
#include "trace/format.h"

struct writer_counts {
	uint64_t records; /* parts of one access count once */
	uint64_t events;
	uint64_t private, constant; /* accesses that were dropped */
	uint64_t branches;	    /* branches that were dropped: they say nothing new */
	uint64_t spins;		    /* times that a thread did the same again: LOG_SPIN */
	uint64_t external;
	uint64_t misfits;	    /* records that fit nothing */
	uint64_t wrong_expressions; /* that do not give what was recorded */
	uint64_t cut;		    /* expressions and sets of reads that were too large */
	uint64_t inner;		    /* inner locks and other bookkeeping */
	uint64_t passed;	    /* records of stretches that were passed by */
};

struct writer;
struct unseen;

struct writer *writer_new(struct places *places, struct lookups *lookups,
			  const struct layout *layout, struct sync_facts *facts, struct sink *sink,
			  uint32_t threads, struct unseen *unseen);
int writer_follow(struct writer *w, const struct merged *r, struct err *err);
/* Behind a record of this thread: follows those that come next in the merge, as long as they are
 * its own, or passes them by if nothing has to be written of them. `records`: how many. */
int writer_go_on(struct writer *w, uint32_t thread, struct merge *m, uint32_t *records,
		 struct err *err);
/* Writes what is left; the sink stays open. */
int writer_finish(struct writer *w, struct writer_counts *counts, struct err *err);
/* After all records: threads that wait for each other for ever, as facts in the trace. `hung`:
 * nobody moved any more. `scheduled`: the log says whom each signal woke; then it is a fact who was
 * woken and has not gone on, too. */
void writer_add_waits(struct writer *w, bool hung, bool scheduled);
void writer_free(struct writer *w);

#endif
