/* SPDX-License-Identifier: MIT */
/*
 * Lists of what gets no hooks, as clang has them for its sanitizers (SpecialCaseList):
 *
 *	# a comment
 *	fun:NAME    functions, by symbol or by C++ name
 *	src:FILE    functions that stand in these files
 *	[thread]    only for these sanitizers is what follows; also [address|thread], [*]
 *
 * `*` is any text. What else clang knows there (global:, type:, =init and the like) says nothing of
 * functions, and is passed by.
 */
#ifndef EVENTS_IGNORE_H
#define EVENTS_IGNORE_H

#include "base/input.h"

struct ignore_line {
	bool file; /* else a function */
	const char *pattern;
};

struct ignore {
	VEC(struct ignore_line) lines;
	struct arena text;
};

/* Adds the lines of a file. ERR_INPUT: FILE:LINE:COLUMN, what is there and what was expected. */
int ignore_load(struct ignore *ignore, const char *path, struct err *err);
int ignore_read(struct ignore *ignore, struct input *in, struct err *err);
void ignore_release(struct ignore *ignore);

/* Whether a function is on the list; readable and path may be NULL. */
bool ignore_has(const struct ignore *ignore, const char *symbol, const char *readable,
		const char *path);

#endif
