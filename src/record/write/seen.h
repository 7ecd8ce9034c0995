/* SPDX-License-Identifier: MIT */
/*
 * What the run itself did wrong, as facts in its trace (norn-trace(5)):
 *
 *	meta seen KIND ; THREAD OP OBJECT @LOCATION ; …
 *
 * The run is the proof. Who is blocked when the log ends is in blocked.c, memory that was used
 * after it was freed and what crashed in the survey.
 */
#ifndef RECORD_WRITE_SEEN_H
#define RECORD_WRITE_SEEN_H

#include "record/write/names.h"

#define SEEN_KEY "seen"

struct seen_line {
	struct places *places;
	char text[3000];
	size_t n;
	bool full;
};

void seen_begin(struct seen_line *line, struct places *places, const char *kind);
/* location: a number of the places, 0: not known. */
void seen_step(struct seen_line *line, const char *thread, const char *op, const char *object,
	       uint32_t location);
void seen_end(struct seen_line *line);

/* Use after free, double free, crashes. `unlogged`: of memory it is not known what was in use. */
void seen_add_accidents(struct places *places, const struct layout *layout, bool unlogged);

#endif
