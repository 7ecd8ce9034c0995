/* SPDX-License-Identifier: MIT */
/*
 * What importers share. A format's own file cuts a line into its fields and names
 * the event kind; the rest is here: numbers for names, made-up values, and the rules
 * that make the result a consistent trace (doc/model.md) or an error with its line:
 *
 * - A thread called by a number N is TN everywhere: `fork(151)` starts T151.
 * - Only the outermost acquire and release of a lock are kept.
 * - A thread that is forked twice in a row by one thread is forked once; reader_mended tells.
 * - Formats without values: each write has a value of its own, each read that of its
 *   last writer, 0 before the first. Formats with values: a variable that is first
 *   read has what was read as its `init`; where a later read returns another value
 *   than the last one known, code outside the trace changed it: `external`.
 */
#ifndef TRACE_IMPORT_COMMON_H
#define TRACE_IMPORT_COMMON_H

#include "trace/format.h"

/* Part of a line. */
struct slice {
	const char *at;
	size_t n;
};

/* What a format calls the kinds; a NULL name ends the list. */
struct import_ops {
	const char *expected; /* all of them, for messages */
	struct {
		const char *name;
		int kind;
	} at[12];
};

struct import_fields {
	int kind;
	struct slice thread;
	struct slice operand;  /* empty: none */
	struct slice location; /* empty: none */
	bool has_value;
	int64_t value;
	struct slice found; /* what stood where something else was expected */
};

struct import;

/* Takes one line, with import_event for each event in it. 0 or a negative code. */
typedef int import_take(struct import *im, struct slice line, struct err *err);

struct source *import_open(struct input *in, struct symbols *symbols, import_take *take);

int import_event(struct import *im, const struct import_fields *f, struct err *err);

/* "expected …, found '…'" at the line being read. */
int import_expected(const struct import *im, const char *expected, struct slice found,
		    struct err *err);

/*
 * Cuts `OP(OPERAND)` into kind and operand; the operand ends with the text, so that it may
 * hold parentheses itself. Returns NULL, found then being the whole text, or what was expected.
 */
const char *import_split_call(struct slice text, const struct import_ops *ops,
			      struct import_fields *f);

/* The next run without blanks, taken from the front of rest; empty at the end. */
struct slice import_take_word(struct slice *rest);

/*
 * For probes: how many of the first lines that are not empty fit, or 0 if any of them does
 * not. A line that the end of head may have cut does not count.
 */
size_t import_count_fitting(const char *head, size_t size, bool (*fits)(struct slice line));

#endif
