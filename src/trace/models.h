/* SPDX-License-Identifier: MIT */
/* The models of doc/model.md, and the kinds of bug. */
#ifndef TRACE_MODELS_H
#define TRACE_MODELS_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define MODELS(row) \
	row(MODEL_VALUES, "values", "expressions are evaluated") \
	row(MODEL_MAXIMAL, "maximal", "expressions only name the reads that matter") \
	row(MODEL_PREDICTABLE, "predictable", "maximal, but a read of another write has changed") \
	row(MODEL_MCM, "mcm", "as if a branch followed every read") \
	row(MODEL_SAID, "said", "every event happens and every read keeps its value")

enum model {
#define MODEL_ROW(name, text, help) name,
	MODELS(MODEL_ROW)
#undef MODEL_ROW
	MODEL_COUNT
};

/*
 * A new kind is a row at the end. Each consumer has a table of its own, indexed by kind;
 * doc/architecture.md lists them. Here is what doc/model.md says of a kind, for all of them but the
 * certifier.
 */
#define BUG_KINDS(row) \
	row(BUG_RACE, "race", .least = 2, .most = 2, .events = "two events", .adjacent = true) \
	row(BUG_DEADLOCK, "deadlock", .least = 2, .events = "two events or more", .blocks = true) \
	row(BUG_STUCK, "stuck", .blocks = true, .everyone = true, .early = true) \
	row(BUG_PROPERTY, "property", .past = true) \
	row(BUG_ATOMICITY, "atomicity", .least = 3, .most = 3, .events = "three events", \
	    .past = true) \
	row(BUG_CHOICE, "choice", .least = 1, .most = 1, .events = "one event")

enum bug_kind {
#define BUG_ROW(name, text, ...) name,
	BUG_KINDS(BUG_ROW)
#undef BUG_ROW
	BUG_COUNT
};
/* clang-format on */

struct bug_facts {
	uint32_t least, most; /* so many events a witness names; most 0: any number */
	const char *events;   /* the same in words; NULL: any number will do */
	bool past;	      /* its events are in the run; else they come next behind it */
	bool adjacent;	      /* in model said its two events follow each other */
	bool blocks;	      /* its threads block, so that a run which shows it goes no further */
	bool everyone;	      /* it is about all threads, not only those of its events */
	bool early;	      /* on the way a signal may come before the wait that it ended */
};

extern const struct bug_facts bug_facts[BUG_COUNT];

/* Kinds as a set. */
#define BUG_BIT(bug) (1U << (bug))

/* For a table of a consumer, which has no size of its own: no kind was forgotten. */
#define BUG_ROWS_ARE_ALL(table) \
	_Static_assert(sizeof(table) / sizeof(*(table)) == BUG_COUNT, "a row for each kind")

extern const char *const model_text[MODEL_COUNT];
extern const char *const model_help[MODEL_COUNT];
extern const char *const bug_kind_text[BUG_COUNT];

/* -1 if there is none of that name. */
int model_by_name(const char *name);

#endif
