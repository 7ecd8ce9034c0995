/* SPDX-License-Identifier: MIT */
/* Inside of model/causes.h: what its files share. */
#ifndef MODEL_CAUSES_PARTS_H
#define MODEL_CAUSES_PARTS_H

#include "model/causes.h"
#include "model/pins.h"
#include "model/sections.h"

#define CAUSES_LOOK_BACK 32 /* writes or sections of a thread that may have been skipped */

/* From each of these positions of a thread on it knows of so many events of each thread. */
struct causes_rows {
	VEC(uint32_t) positions; /* ascending */
	VEC(uint32_t) counts;
};

/* Items of an object by one thread, in its order: writes of a variable, sections of a lock. */
struct causes_group {
	uint32_t thread;
	uint32_t first, count; /* in items */
};

struct causes_groups {
	VEC(uint32_t) items;
	VEC(int64_t) values; /* of writes */
	/* … and when their thread is past so many events they have written it; the only read that
	 * it is computed from, or 0 */
	VEC(uint32_t) fixed, inputs;
	VEC(struct causes_group) all;
	uint32_t *first; /* by object, and one more: its groups */
};

/* Where a thread is in an arm. */
struct causes_arm {
	uint32_t branch;
	uint32_t end;	 /* the position of its last event */
	uint32_t *saved; /* what was known in front of it */
};

/* What was known at the end of an arm, which this event says that the thread went through. */
struct causes_lesson {
	uint32_t event;
	uint32_t *counts;
};

struct causes_thread {
	uint32_t *now; /* what it knows */
	bool changed;
	VEC(struct causes_arm) arms;
	VEC(struct causes_lesson) lessons;
	VEC(uint32_t) held;  /* sections */
	uint32_t all_pinned; /* reads before this position are */
};

/* What a value has to be, or what has to be made of it. */
struct causes_test {
	uint32_t event; /* a branch of which the guard has to hold; or a write, whose value: */
	const struct causes_test *next;
	int64_t value;	/* no event: it has to be this */
	uint32_t depth; /* so many writes */
	uint32_t number;
};

/* A read of which it was asked whether what it returns can fulfil the test of this number. */
struct causes_followed {
	uint32_t read, test;
};

struct causes {
	const struct index *index;
	const struct needs *needs;
	const struct sections *sections;
	double deadline;
	uint32_t threads;
	struct causes_rows *rows,
		*old; /* of this pass, and of the one before; NULL: there was none */
	struct causes_groups writes, locked;
	uint32_t *confirmed; /* of each branch: the event that shows that its arm happened, or 0 */
	uint32_t *pinned; /* of each read: its thread's position from which on its value is known */
	struct causes_thread *state;
	struct pins pins;
	uint32_t at; /* the event that the pass is at */
	uint32_t pass;
	size_t words; /* in this pass's rows */
	size_t words_most;
	const struct causes_frame *frame; /* of a question; NULL: all executions */
	uint32_t *meet;			  /* scratch */
	uint32_t *last; /* of each thread: 1 + the write in writes.items that hides others, or 0 */
	VEC(struct causes_followed) followed; /* reads that a value was followed back through */
	size_t path; /* of these, first: the ways that are under way go through them */
	uint32_t tests;
	bool open; /* the last value may have come from where nothing is known */
	bool full;
};

/* What is asked for: part of a read returns a value that fulfils the test. */
struct causes_wanted {
	uint32_t read, thread, variable;
	const struct causes_test *test;
	uint32_t tried;	     /* values that were put to a test which takes long */
	uint32_t ways;	     /* writes of which all ways were looked at */
	const uint32_t *row; /* what is known at the read */
	bool locked;	     /* it stands in a section */
	uint32_t *last;	     /* of each thread the last write that must have come before it, or 0 */
	uint32_t *meet; /* what all that may give the value have in common; NULL: is there one? */
	struct causes_list *list; /* or: all of them */
	bool found;
};

/* What is known at the event; false: all, so far. */
bool causes_known_at(const struct causes *c, uint32_t event, const uint32_t **row);
uint32_t causes_row_count(const struct causes *c, const uint32_t *row, uint32_t event,
			  uint32_t thread);
/* The position of its thread from which on the event is known to have happened. */
uint32_t causes_sure_from(const struct causes *c, uint32_t event);
/* The outermost branch that it may be skipped by, or itself. */
uint32_t causes_outermost(const struct causes *c, uint32_t event);
/* So many items of the group are among the first events of its thread. */
uint32_t causes_count_among(const struct causes *c, const struct causes_groups *g,
			    const struct causes_group *group, uint32_t events);

/*
 * causes_sources.c: what all writes have in common that the value may come from: the recorded one
 * or, if a branch is given, any with which its guard holds. In c->meet; false: nothing.
 */
bool causes_find_common(struct causes *c, uint32_t read, uint32_t part, uint32_t branch);

/* The read that the guard depends on alone, other than by its value; 0: there is none. */
uint32_t causes_guarded(const struct causes *c, uint32_t event);

#endif
