/* SPDX-License-Identifier: MIT */
/* A line under work, for the files that read lines of events. */
#ifndef EVENTS_CURSOR_H
#define EVENTS_CURSOR_H

#include "events/events.h"

struct cursor {
	const struct input *in;
	const char *start, *at; /* a NUL ends it */
	struct err *err;
};

unsigned cursor_column(const struct cursor *c, const char *at);
void cursor_skip_blanks(struct cursor *c);
/* ERR_INPUT, with the place of `at`. */
__attribute__((format(printf, 3, 4))) int cursor_fail(const struct cursor *c, const char *at,
						      const char *format, ...);
/* Likewise, of what stands at the cursor: "expected WHAT, not …". */
int cursor_expected(const struct cursor *c, const char *what);
/* Letters, digits, `_` and `-`. */
size_t cursor_word(const struct cursor *c);
/* Goes behind it, and blanks; false: something else is there. */
bool cursor_take(struct cursor *c, const char *word);
bool cursor_take_char(struct cursor *c, char wanted);

char *events_keep(struct events *events, const char *text, size_t length);
/* Behind `#`: N or `return`. */
int events_read_argument(struct cursor *c, struct events_field *field);

/* Marks (marks.c): a name or word of theirs; fields; what is wrong with the whole line. */
bool marks_is_name(const char *text, size_t length);
int marks_read_fields(struct events *events, struct cursor *c, struct events_line *line);
int marks_read_field(struct events *events, struct cursor *c, struct events_field *field);
int marks_check(const struct events *events, struct cursor *c, const struct events_line *line);

#endif
