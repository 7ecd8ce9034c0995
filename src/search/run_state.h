/* SPDX-License-Identifier: MIT */
/*
 * The state behind run.h, for the files run*.c alone. What a variable holds is a *cell*: under
 * `predictable` the event that wrote it as recorded (0: the start), else a value; both may
 * be unknown. Cells and locks that were touched are listed, for run_reset.
 */
#ifndef SEARCH_RUN_STATE_H
#define SEARCH_RUN_STATE_H

#include "model/depends.h"
#include "search/run.h"

struct run_cell {
	int64_t value;
	int64_t based_value; /* what the events before event `based` left, if that is not 0: */
	uint32_t based;	     /* runs start at one event again and again */
	uint32_t based_accesses, based_externals;
	uint32_t alloc, free; /* the events of the variable, or 0; these never change */
	uint32_t accesses;    /* that have happened, externals too */
	uint32_t externals;
	bool touched;	   /* else value, accesses and externals are as at the start */
	bool has_external; /* never changes */
	bool unknown;
};

struct run_hold {
	uint32_t thread;
	uint32_t event; /* that took it first */
	uint32_t times;
	bool shared;
};

struct run_lock {
	VEC(struct run_hold) holds;
};

struct run_external {
	uint32_t variable;
	uint32_t event;
};

struct run_barrier {
	uint32_t round, entered; /* the one that is half entered, if entered is not 0 */
};

/* A read that returned something else than recorded, or an event that its thread skipped. */
struct run_change {
	uint32_t read;
	bool skipped;
	bool unknown; /* its value as a whole */
	int64_t value;
};

struct run {
	const struct index *index;
	enum model model;
	uint32_t *position; /* of each thread: how many of its events have happened */
	uint32_t *changes;  /* of each thread: 1 + its first changed read in `changed`, or 0 */
	uint64_t steps;	    /* taken so far */
	const struct run_marks *marks; /* for witnesses that start as recorded, or NULL */
	uint32_t base; /* the events before this one happened as recorded; 1: none */
	struct run_cell *cells;
	VEC(struct run_external) externals; /* all of them, by variable */
	struct run_lock *locks;
	uint64_t *semaphores;
	struct run_barrier *barriers;
	uint32_t *sleepers;   /* of each condition */
	bool early;	      /* signals may come early (doc/model.md, Conditions) */
	bool *missed;	      /* of each thread: it waits for one that has */
	uint32_t *once_begin; /* of each once: the event if it has happened, or 0 */
	uint32_t *once_end;
	uint32_t *change_of; /* of each event: 1 + its place in changed, or 0 */
	VEC(struct run_change) changed;
	VEC(uint32_t) touched;	/* cells */
	struct depends depends; /* scratch */
	struct arena memory;
};

/* How many externals of the variable do. */
uint32_t run_externals_before(const struct run *run, uint32_t variable, uint32_t n);
/* What the event does to locks, semaphores and so on. */
void run_take_sync(struct run *run, uint32_t event);

/* Values: run_value.c */

/* The cell, which knows its value from here on. */
struct run_cell *run_touch(struct run *run, uint32_t variable);

/* Do the guards of the event, at= and that of a branch, hold? */
bool run_guard(struct run *run, uint32_t event, struct run_fault *fault);
/* Its thread has come to the event, and reads make it another one than was recorded. */
bool run_is_other(struct run *run, uint32_t event);
/* What the access does to memory and to the list of changed reads, once it can happen. */
void run_access(struct run *run, uint32_t event);
/* How many events its thread skips behind the branch, which can happen. */
uint32_t run_skips(struct run *run, uint32_t event);
/* An event in the scope of a branch that went the other way. */
void run_skip(struct run *run, uint32_t event);

#endif
