/* SPDX-License-Identifier: MIT */
/*
 * What went wrong in a run, as far as it can be seen from outside: by its end and by what it
 * printed. What a trace shows beside that, prediction finds.
 */
#ifndef HUNT_RUN_FAILURE_H
#define HUNT_RUN_FAILURE_H

#include "hunt/run/attempt.h"

/* clang-format off */
#define FAILURE_KINDS(row) \
	row(FAILURE_NONE, "none") \
	row(FAILURE_ASSERTION, "assertion") \
	row(FAILURE_MISUSE, "misuse") \
	row(FAILURE_SANITIZER, "sanitizer") \
	row(FAILURE_SIGNAL, "signal") \
	row(FAILURE_STATUS, "status") \
	row(FAILURE_STUCK, "stuck") \
	row(FAILURE_CHECK, "check") \
	row(FAILURE_OUTPUT, "output")
/* clang-format on */

enum failure_kind {
#define FAILURE_ROW(name, text) name,
	FAILURE_KINDS(FAILURE_ROW)
#undef FAILURE_ROW
		FAILURE_KIND_COUNT
};

extern const char *const failure_kind_text[FAILURE_KIND_COUNT];

struct failure {
	enum failure_kind kind;
	char text[500]; /* one line; the same for the same bug */
};

/* FAILURE_NONE: nothing, as far as the program itself tells. */
void failure_find(struct failure *f, const struct attempt *a);

#endif
