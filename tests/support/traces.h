/* SPDX-License-Identifier: MIT */
/*
 * Whole traces in memory, for tests: read, compare by what they mean (names, not numbers of
 * symbols), and convert from bytes to bytes.
 */
#ifndef SUPPORT_TRACES_H
#define SUPPORT_TRACES_H

#include "trace/reader.h"

#include <stdio.h>

/* Bytes with a NUL behind them. */
struct bytes {
	char *at;
	size_t n;
};

void bytes_release(struct bytes *b);
/* The test fails if the file is not there. */
struct bytes bytes_of_file(const char *path);

struct whole_trace {
	struct reader *reader; /* for the symbols */
	VEC(struct event) events;
	VEC(uint64_t) lines; /* empty if the format has none */
	struct arena memory;
	bool cut; /* the file ended early, and said so */
};

/* Reads all of it; the whole owns the reader, even on failure. */
int whole_read(struct whole_trace *whole, struct reader *r, struct err *err);
int whole_read_memory(struct whole_trace *whole, const void *data, size_t size, const char *format,
		      struct err *err);
/* The same without names of variables, which are read when all events were. */
int whole_read_unnamed(struct whole_trace *whole, const void *data, size_t size, const char *format,
		       struct err *err);
void whole_release(struct whole_trace *whole);

/* Adds one event to the end, with copies of all it points to. */
void whole_add(struct whole_trace *whole, const struct event *e);

/*
 * NULL if events first … first + n - 1 of `a` (from 0) are the first n of `b`; else what
 * differs, in a static buffer.
 */
const char *whole_compare(const struct whole_trace *a, size_t first, const struct whole_trace *b,
			  size_t n);
/* All events, all that was declared of the objects in them, and the facts about the run. */
const char *whole_difference(const struct whole_trace *a, const struct whole_trace *b);

/* NULL if the same objects have the same numbers, names and declarations; else what differs. */
const char *symbols_difference(const struct symbols *a, const struct symbols *b);

/* Copies a trace to another format; block: events a block of the binary format, 0 as it likes. */
int convert_memory(const void *data, size_t size, const char *from, const char *to, uint32_t block,
		   struct bytes *result, struct err *err);

/* Bytes that an output collects: open, put, close, take. */
struct memory_output {
	int fd;
	struct output *out;
};

struct output *memory_output_open(struct memory_output *m);
/* Closes the output if it is still open. */
struct bytes memory_output_take(struct memory_output *m);

#endif
