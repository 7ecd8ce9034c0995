/* SPDX-License-Identifier: MIT */
/*
 * Suppressions: findings that the user knows and does not want to see, in the file format of
 * ThreadSanitizer, one a line:
 *
 *	# comment
 *	race:PATTERN		either access: its function, source file or variable
 *	race_top:PATTERN	the same without the variable
 *	deadlock:PATTERN	any of the acquires: its function, source file or lock; of stuck
 *				threads the wait that the finding is named by, with its object
 *	crash:PATTERN		of a crash that was seen: its function or source file, the signal
 *
 * A pattern is found anywhere in the name; `*` stands for anything, `^` at its start and `$` at
 * its end tie it there. Types of ThreadSanitizer that cannot concern us (thread, mutex, signal,
 * called_from_lib) match nothing, so that a file can serve both; other types are an error, as
 * they are there.
 */
#ifndef PREDICT_SUPPRESS_H
#define PREDICT_SUPPRESS_H

#include "base/input.h"
#include "predict/predict.h"

/* clang-format off */
#define SUPPRESSION_TYPES(row) \
	row(SUPPRESS_RACE, "race") \
	row(SUPPRESS_RACE_TOP, "race_top") \
	row(SUPPRESS_DEADLOCK, "deadlock") \
	row(SUPPRESS_THREAD, "thread") \
	row(SUPPRESS_MUTEX, "mutex") \
	row(SUPPRESS_SIGNAL, "signal") \
	row(SUPPRESS_CALLED_FROM_LIB, "called_from_lib") \
	row(SUPPRESS_CRASH, "crash")
/* clang-format on */

enum suppression_type {
#define SUPPRESSION_ROW(name, text) name,
	SUPPRESSION_TYPES(SUPPRESSION_ROW)
#undef SUPPRESSION_ROW
		SUPPRESSION_TYPE_COUNT
};

extern const char *const suppression_type_text[SUPPRESSION_TYPE_COUNT];

struct suppression {
	enum suppression_type type;
	const char *pattern;
	const char *file; /* where it was said */
	uint64_t line;
	uint64_t matched; /* findings */
};

struct suppressions {
	VEC(struct suppression) all;
	struct arena text;
};

/* Adds what the file says; s starts as zero. */
int suppressions_load(struct suppressions *s, const char *path, struct err *err);
int suppressions_read(struct suppressions *s, struct input *in, struct err *err);
void suppressions_release(struct suppressions *s);

/* The first that fits, or NULL. */
struct suppression *suppressions_find(const struct suppressions *s, const struct index *index,
				      const struct witness *w);
/* Sets f->suppressed, and counts it. */
void suppressions_match(struct suppressions *s, const struct index *index, struct finding *f);

/* The same for what the recorded run did: race and race_top are for use after free and double free,
 * deadlock for stuck threads as well. */
const struct suppression *suppressions_find_seen(const struct suppressions *s,
						 const struct seen *f);
void suppressions_match_seen(struct suppressions *s, struct seen *f);

/* Does the pattern fit the name? */
bool suppression_fits(const char *pattern, const char *name, size_t length);

#endif
