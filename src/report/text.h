/* SPDX-License-Identifier: MIT */
/* The pieces of the text report. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/story.h"

struct text {
	struct story story;
	const struct report_options *options;
	struct output *out;
};

/* Names come from the trace and may hold anything; a terminal should not obey it. */
void text_put(struct output *out, const char *text);
/* `1 event`, `2 events` */
void text_count(struct output *out, uint64_t n, const char *what);

/* The stack: `#0 FUNCTION FILE:LINE:COLUMN (event N)`, and what is known of the calls around it. */
void text_frame(struct text *t, uint32_t event);
/* The latter alone, from #1 on; each line begins with `before`. */
void text_callers(struct text *t, uint32_t event, const char *before);
/* What is held at the event, and where it was taken. */
void text_held(struct text *t, uint32_t event);
/* `Read of x = 1 by thread t1:`, and where; more: what stands before the colon. */
void text_access(struct text *t, uint32_t event, const char *more);
/* Where the variable is in memory; nothing if that is not recorded. */
void text_variable(struct text *t, uint32_t number);
/* Where its block was allocated: of the event; 0: that is not known. */
void text_allocation(struct text *t, uint32_t allocation);
/* Where the thread was created; nothing if that is not recorded. */
void text_creation(struct text *t, uint32_t thread);

/* The clause of OpenMP that would mend a race on this variable, if that is plain. */
void text_clause(struct text *t, uint32_t first, uint32_t second, const char *variable);

/* How the run goes that ends so: step by step, and of a long one only the end. */
void text_witness(struct text *t, const struct witness *w, const char *what_is_next);

/* What the recorded run itself did wrong: a block for each. */
void text_seen(struct text *t);
/* Colours, if they are wanted: "1;31", "0". */
void text_colour(const struct text *t, const char *code);
extern const char text_rule[];

/* Where the dependences are that hold candidates back; nothing if that was not asked for. */
void text_why(struct text *t);
/* What is not decided: why, where, and what may help. */
void text_undecided(struct text *t);
/* What was looked at, and what it came to. */
void text_counts(struct text *t);

#endif
