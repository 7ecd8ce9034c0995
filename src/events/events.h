/* SPDX-License-Identifier: MIT */
/*
 * Files of events (norn-events(5)): lines that say what functions do which Norn cannot look into,
 * and lines that name events of the user's own, marks.
 *
 *	EVENT[(FIELD, …)] before|after|around WHAT TARGET [if CONDITION]
 *	quiet|wrapper|fixed call TARGET
 *
 * What is read makes sense: an event has the fields, the place and the condition that it can have.
 * Texts live as long as the events.
 */
#ifndef EVENTS_EVENTS_H
#define EVENTS_EVENTS_H

#include "base/input.h"

/*
 * Name, as it is written, least and most fields (beyond the least: words), where it may stand (bits
 * of EVENTS_AT), whether it is a step of its call: a call has one of these at most.
 */
/* clang-format off */
#define EVENTS_EFFECTS(row)                                                      \
	row(EVENTS_ACQUIRE, "acquire", 1, 1, EVENTS_AT(AFTER), 1)                \
	row(EVENTS_ACQUIRE_SHARED, "acquire-shared", 1, 1, EVENTS_AT(AFTER), 1)  \
	row(EVENTS_RELEASE, "release", 1, 1, EVENTS_AT(BEFORE), 1)               \
	row(EVENTS_RELEASE_SHARED, "release-shared", 1, 1, EVENTS_AT(BEFORE), 1) \
	row(EVENTS_WAIT, "wait", 2, 4, EVENTS_AT(AROUND), 1)                     \
	row(EVENTS_SIGNAL, "signal", 1, 1, EVENTS_AT(BEFORE), 1)                 \
	row(EVENTS_BROADCAST, "broadcast", 1, 1, EVENTS_AT(BEFORE), 1)           \
	row(EVENTS_SEM_INIT, "sem-init", 2, 2, EVENTS_AT(AFTER), 1)              \
	row(EVENTS_SEM_POST, "sem-post", 1, 1, EVENTS_AT(BEFORE), 1)             \
	row(EVENTS_SEM_WAIT, "sem-wait", 1, 1, EVENTS_AT(AFTER), 1)              \
	row(EVENTS_HAPPENS_BEFORE, "happens-before", 1, 2, EVENTS_AT(BEFORE) | EVENTS_AT(AFTER), 0) \
	row(EVENTS_HAPPENS_AFTER, "happens-after", 1, 2, EVENTS_AT(BEFORE) | EVENTS_AT(AFTER), 0)   \
	row(EVENTS_QUIET, "quiet", 0, 0, EVENTS_AT(NOWHERE), 0)                  \
	row(EVENTS_RECEIVES, "receives", 0, 0, EVENTS_AT(NOWHERE), 0)            \
	row(EVENTS_WRAPPER, "wrapper", 0, 0, EVENTS_AT(NOWHERE), 0)              \
	row(EVENTS_FIXED, "fixed", 0, 0, EVENTS_AT(NOWHERE), 0)
/* clang-format on */

enum events_effect {
#define EVENTS_ROW(name, text, least, most, places, step) name,
	EVENTS_EFFECTS(EVENTS_ROW)
#undef EVENTS_ROW
		EVENTS_EFFECT_COUNT,
	EVENTS_MARK = EVENTS_EFFECT_COUNT /* no effect: the user wants to know */
};

enum events_when { EVENTS_BEFORE, EVENTS_AFTER, EVENTS_AROUND, EVENTS_NOWHERE };
#define EVENTS_AT(when) (1 << EVENTS_##when)

enum events_what { EVENTS_CALL, EVENTS_BODY, EVENTS_READ, EVENTS_WRITE, EVENTS_LINE };

#define EVENTS_RETURN UINT32_MAX
/* Of an access to a global variable. */
#define EVENTS_ADDRESS (UINT32_MAX - 1)
#define EVENTS_SIZE (UINT32_MAX - 2)
#define EVENTS_VALUE (UINT32_MAX - 3)
#define EVENTS_WORD (UINT32_MAX - 4)

#define EVENTS_FIELDS 6
#define EVENTS_WORDS 2
#define EVENTS_STARS 4

struct events_field {
	uint32_t argument;  /* from 0, or one of the above */
	unsigned stars;	    /* so often the value is an address, and what is there counts */
	const char *member; /* likewise, of what is there this member; or NULL */
	const char *word;   /* EVENTS_WORD */
	unsigned column;
};

enum events_compare {
	EVENTS_ALWAYS, /* there is no condition */
	EVENTS_EQ,
	EVENTS_NE,
	EVENTS_LT,
	EVENTS_LE,
	EVENTS_GT,
	EVENTS_GE,
};

/* Compared as signed numbers; `if #return` is NE 0, `if !#return` is EQ 0. */
struct events_condition {
	enum events_compare compare;
	struct events_field field;
	int64_t value;
};

struct events_line {
	enum events_effect effect;
	enum events_when when;
	enum events_what what;
	bool ours;	  /* of a file that belongs to Norn */
	bool fuzzy;	  /* the target has a `*` */
	const char *mark; /* EVENTS_MARK: its name, */
	unsigned mark_column;
	unsigned fields;
	struct events_field field[EVENTS_FIELDS];
	/*
	 * Words behind them, or NULL. happens-*: what is done with one object under different
	 * words is apart. wait: functions that give the lock back, and take it.
	 */
	const char *word[EVENTS_WORDS];
	const char *target;   /* a function, a variable, or the file of a line */
	const char *member;   /* of a variable, or NULL */
	uint64_t source_line; /* EVENTS_LINE */
	struct events_condition condition;
	const char *file;
	uint64_t line;
	unsigned column; /* of the target */
};

struct events {
	VEC(struct events_line) lines;
	struct arena text;
};

/* Adds the lines of a file. ERR_INPUT: FILE:LINE:COLUMN, what is there and what was expected. */
int events_load(struct events *events, const char *path, bool ours, struct err *err);
int events_read(struct events *events, struct input *in, bool ours, struct err *err);
/* Adds a line: the body of the function is an atomic region (doc/model.md). */
int events_add_atomic(struct events *events, const char *function, struct err *err);
void events_release(struct events *events);

extern const char *const events_effect_text[EVENTS_EFFECT_COUNT];
/* Is it a step of the call, of which there can be one? */
bool events_is_step(enum events_effect effect);

/* What a mark was perhaps meant to be: an effect of nearly this name, which could stand there. */
const char *events_near_effect(const struct events_line *line);

/* How many fields a mark has in the trace: one more if it is around something, which of both. */
unsigned events_mark_fields(const struct events_line *line);
/* The same number for the same text of a line, whatever file it is in; and as a symbol begins. */
uint64_t events_mark_key(const struct events_line *line);
#define EVENTS_MARK_SYMBOL "norn.mark."

/* Whether a target names a file: all of its path, or what is behind a '/'. */
bool events_names_file(const char *target, const char *path);
/* Whether a target names a function or variable: by its symbol, or by what that is in C++, with or
 * without parameters. `readable` is the latter, or NULL. */
bool events_names(const char *target, const char *symbol, const char *readable);
/* Up to the list of parameters, which is the last one in brackets; all if there is none. */
size_t events_bare_length(const char *readable);

#endif
