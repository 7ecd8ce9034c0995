/* SPDX-License-Identifier: MIT */
/*
 * From a recording (runtime/log.h) to a trace: the log is gone through in order twice, once to see
 * what has to be kept and once to write it, and nothing of its length is stored between, but the
 * order as far as it is short (record/merge/runs.h).
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "record/log/image.h"
#include "record/stops.h"
#include "record/write/writer.h"

struct record_options {
	bool again; /* the same program is recorded once more after this */
	bool keep_all;
	bool guesses;	     /* whom signals wake, as if the log did not say it */
	bool eager;	     /* for tests: record by record, and nothing is passed by */
	const char *scanner; /* as for libraries_new; or NULL */
	/* called now and then with the pass (1, 2) and how many records it has done; or NULL */
	void (*progress)(void *context, int pass, uint64_t records);
	void *context;
};

struct record_result {
	struct writer_counts counts;
	uint64_t left;	  /* records that could not be put in order */
	uint32_t damaged; /* threads whose log ends in damage */
	uint32_t threads;
	uint64_t variables;
	uint64_t dangling; /* accesses to memory that was free */
	char dangling_places[400];
	uint32_t bad_templates;
	uint32_t sites;
	bool host; /* the program has no hooks, a library that it has loaded has */
	size_t most_pending;
	struct stops stops; /* what is missing */
	/* Whom signals woke is no execution of the model: a thread that one woke has not gone on,
	 * and another one was woken later, which slept, too. */
	bool unsettled;
};

/* What a recording consists of. */
struct record_input {
	struct raw_log *log;
	char *sites; /* NULL: none; taken */
	size_t sites_size;
	const char *modules; /* text */
	struct image image;
	const char *directory; /* with the inputs of the run; NULL: none */
};

/*
 * Writes the trace of the recording to out, in the binary format. Facts about the run that
 * are known already stand in metas, which are moved to the trace.
 */
int record_merge(const struct record_input *in, const struct record_options *options,
		 const struct symbols *metas, struct output *out, struct record_result *result,
		 struct err *err);
/* The same for a recording in a directory. */
int record_write(const char *directory, const struct record_options *options,
		 const struct symbols *metas, struct output *out, struct record_result *result,
		 struct err *err);

#endif
