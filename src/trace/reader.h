/* SPDX-License-Identifier: MIT */
/*
 * Reading traces of any format and length as a stream of batches.
 *
 *	struct reader *r = reader_open(path, NULL, &err);
 *	while ((got = reader_next(r, &batch, &err)) > 0)
 *		for (size_t i = 0; i < batch.n; i++)
 *			use(&batch.at[i], batch.first + i);
 *
 * Readers guarantee what the syntax of a trace promises: objects exist in the
 * symbols, event numbers in reads=, at=, by= and %N are those of earlier events
 * (or, for an rmw, of itself). Whether those are reads of the same thread, and
 * whether the events can happen at all, is for trace/check.h. Variables never
 * overlap in memory: trace/split.h stands between the format and the caller.
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "base/input.h"
#include "trace/symbols.h"

struct batch {
	const struct event *at;
	size_t n;
	uint64_t first;	       /* the number of at[0]; events are numbered from 1 */
	const uint64_t *lines; /* line of each event, or NULL if the format has none */
};

struct reader;

/* format: a name of trace/format.h, or NULL to find out. path "-" is standard input. */
struct reader *reader_open(const char *path, const char *format, struct err *err);
/* Takes in. */
struct reader *reader_open_input(struct input *in, const char *format, struct err *err);
struct reader *reader_open_memory(const void *data, size_t size, const char *name,
				  const char *format, struct err *err);
void reader_close(struct reader *r);

/*
 * For callers that may need no names of variables: those of a format that can do without are left
 * out, and not looked at. reader_names reads them, at any time, and refuses what opening with names
 * would have refused; before it, a name that is asked for stops the program.
 */
struct reader *reader_open_unnamed(const char *path, const char *format, struct err *err);
struct reader *reader_open_input_unnamed(struct input *in, const char *format, struct err *err);
int reader_names(struct reader *r, struct err *err);

/* 1: a batch with at least one event; 0: the end; negative: an error. */
int reader_next(struct reader *r, struct batch *batch, struct err *err);

/* By seconds_now(); 0, as at first: none. Behind it there is no batch any more, but ERR_LIMIT. */
void reader_set_deadline(struct reader *r, double deadline);

/* The number of the last event handed out; 0: none yet. */
uint64_t reader_last_event(const struct reader *r);

const struct symbols *reader_symbols(const struct reader *r);
const char *reader_name(const struct reader *r);
const char *reader_format(const struct reader *r);

/* Goes on with the batch that holds that event; the formats without an index read up to it. */
int reader_seek(struct reader *r, uint64_t event, struct err *err);

/* The caller needs no values from here on: those of events may be 0. */
void reader_skip_values(struct reader *r);

/*
 * The threads with events that nobody forks, known before all is read: any other thread
 * that has not started will be forked. NULL if the trace does not tell.
 */
const uint32_t *reader_roots(const struct reader *r, size_t *n);

/* Why the trace ends early although it is readable (a file cut short), or NULL. */
const char *reader_cut(const struct reader *r);
/* What was wrong so far with the trace of another tool, and was mended, or NULL. */
const char *reader_mended(const struct reader *r);

#endif
