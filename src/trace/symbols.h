/* SPDX-License-Identifier: MIT */
/*
 * What the numbers in events stand for: names of objects, what was declared of
 * them, source locations, and facts about the run. Owned by the reader, which
 * adds to it as it reads: an object's entry is complete before the first batch
 * with an event that uses it is returned, and never changes afterwards. The names of variables
 * alone may come later, all at once (reader_names).
 */
#ifndef TRACE_SYMBOLS_H
#define TRACE_SYMBOLS_H

#include "base/err.h"
#include "base/intern.h"
#include "trace/constants.h"
#include "trace/event.h"

/* struct variable, flags */
#define VARIABLE_INIT 1	    /* `init` was given; else init is 0 */
#define VARIABLE_VOLATILE 2 /* accesses are synchronisation */
#define VARIABLE_MEMORY 4   /* `memory` was given: base, address and size hold */

struct variable {
	int64_t init;
	uint64_t address;
	uint64_t size;
	uint32_t base; /* in bases: only variables of one base can overlap */
	uint8_t flags;
};

struct semaphore {
	uint64_t count;
	bool declared;
};

struct barrier {
	uint32_t parties; /* 0: not declared */
};

struct meta {
	const char *key, *value;
};

struct symbols {
	size_t counts[CLASS_COUNT]; /* of objects, whether they have their names yet or not */
	struct intern names[CLASS_COUNT];
	/*
	 * Of most variables nothing is declared: details has those that are described, behind one
	 * that is all zero, and details_of which is a variable's; 0, or behind its end: none.
	 */
	VEC(struct variable) details;
	VEC(uint32_t) details_of;
	/* one entry an object */
	VEC(struct semaphore) semaphores;
	VEC(struct barrier) barriers;
	struct intern bases;
	struct intern locations; /* entry 0 is the empty string: no location */
	struct constants constants;
	VEC(struct meta) metas;
	struct arena text; /* of metas */
};

void symbols_init(struct symbols *symbols);
void symbols_release(struct symbols *symbols);
/* Makes room for the names of so many variables: what is not needed costs addresses alone. */
void symbols_reserve_names(struct symbols *symbols, size_t variables);

/* The number of that name, a new one if it was not known. */
uint32_t symbols_add(struct symbols *symbols, enum object_class class, const char *name,
		     size_t length);
/* For many that should all be new; then symbols_check: false if one is not. See base/intern.h. */
void symbols_add_unchecked(struct symbols *symbols, enum object_class class, const char *name,
			   size_t length);
bool symbols_check(struct symbols *symbols);
/*
 * Variables whose names come later, in their order and then unchecked as above. Until all of them
 * have come, none may be asked for; forgetting them leaves all variables without.
 */
uint32_t symbols_add_unnamed(struct symbols *symbols, uint32_t n); /* the first one's number */
void symbols_add_name(struct symbols *symbols, const char *name, size_t length);
bool symbols_are_named(const struct symbols *symbols);
void symbols_forget_names(struct symbols *symbols);
void symbols_add_meta(struct symbols *symbols, const char *key, size_t key_length,
		      const char *value, size_t value_length);
/* Value i of this key, from 0; NULL if there are not so many. */
const char *symbols_meta(const struct symbols *symbols, const char *key, size_t i);
/* What the program calls the thread of that name; NULL: nothing is known. */
const char *symbols_given_name(const struct symbols *symbols, const char *thread);
/* The end of the thread's last wait, which is not in the trace, has come (META_WOKEN): by that
 * event, 0: by its time limit. False: nothing is known. */
bool symbols_woken(const struct symbols *symbols, uint32_t thread, uint64_t *by);
/* Why the recording is not complete, in words; a trace may have several. */
#define META_STOPPED_BY "stopped-by"
#define META_BEGUN "begun"
/* The program has no hooks, libraries that it has loaded have: what it is. */
#define META_HOST "host"
/* What the trace does not know of, in words: what it proves holds if nothing depends on that. */
#define META_RELIES_ON "relies-on"
#define META_WAITS "waits"	       /* THREAD OP OBJECT: what it waited for at the end */
#define META_WOKEN "woken"	       /* THREAD EVENT: woke it, and it did not go on */
#define META_BROKEN_OFF "broken-off"   /* EVENT: end of a wait, by no signal and no time limit */
#define META_EXIT "exit"	       /* the thread that ended the program */
#define META_OPENMP "openmp"	       /* a thread, and what it is there */
#define META_THREAD_NAME "thread-name" /* a thread, and what the program calls it */
/* A variable of C that is accessed as volatile, and not as an atomic. */
#define META_VOLATILE "volatile-variable"
/* FRAME@LOCATION…: numbers from 1; the call that each was made in. */
#define META_FRAMES "frames"
/* EVENT:FRAME…: distances; the call that the thread is in from there on. */
#define META_STACKS "stacks"

/* What was declared of the variable, all zero if nothing was; valid until one is described. */
static inline const struct variable *symbols_variable(const struct symbols *symbols, size_t number)
{
	uint32_t which = number < symbols->details_of.n ? symbols->details_of.at[number] : 0;

	return &symbols->details.at[which];
}

/* The same, to be changed. */
struct variable *symbols_describe(struct symbols *symbols, uint32_t number);

/* Nothing is declared of variables with this number or a higher one. */
static inline size_t symbols_described_end(const struct symbols *symbols)
{
	return symbols->details_of.n;
}

static inline const struct interned *symbols_text(const struct symbols *symbols,
						  enum object_class class, size_t number)
{
	ASSERT(number < symbols->names[class].strings.n);
	return &symbols->names[class].strings.at[number];
}

static inline const char *symbols_name(const struct symbols *symbols, enum object_class class,
				       uint32_t number)
{
	return symbols_text(symbols, class, number)->text;
}

static inline size_t symbols_count(const struct symbols *symbols, enum object_class class)
{
	return symbols->counts[class];
}

/*
 * A location is text, FILE:LINE[:COLUMN][:FUNCTION]; text of another form is all
 * file, with line 0.
 */
struct location {
	const char *file; /* not NUL-ended */
	size_t file_length;
	uint32_t line, column; /* 0: not given */
	const char *function;  /* NUL-ended, NULL if not given */
};

struct location location_split(const char *text);

/* Printable, no blank, no '#': what the text format can hold as a name. */
/*
 * Names of this kind, of class once, are of the recorder: places where the order is kept as it was,
 * because code without hooks may order threads there.
 */
#define SYMBOL_ORDER "order:"
bool symbols_is_order(const struct symbols *symbols, uint32_t once);

bool symbols_name_is_good(const char *name, size_t length);

#endif
