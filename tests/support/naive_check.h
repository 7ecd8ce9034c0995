/* SPDX-License-Identifier: MIT */
/*
 * The consistency of doc/model.md once more: as plainly as possible, for small traces as text,
 * with memory byte by byte, and without a line of src/. Understands what random_trace.h writes
 * (and mutations of it), not every mistake that text can hold.
 */
#ifndef SUPPORT_NAIVE_CHECK_H
#define SUPPORT_NAIVE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#define NAIVE_LINES_MAX 64

struct naive_verdict {
	uint64_t line;	/* of the first event that cannot happen; 0: there is none */
	uint64_t event; /* its number */
	char why[100];
	/*
	 * Lines that cannot be read: they name an event that is not earlier, a value that its
	 * bytes cannot hold, a variable twice, or declare too late.
	 */
	uint64_t unreadable_lines[NAIVE_LINES_MAX];
	int unreadable_count;
	/*
	 * Signals and broadcasts that somebody slept through, who by a later `woken` should have
	 * woken: they cannot happen either. `line` does not count them.
	 */
	uint64_t condition_lines[NAIVE_LINES_MAX];
	int condition_count;
};

struct naive_verdict naive_check(const char *text);

#endif
