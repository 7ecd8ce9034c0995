/* SPDX-License-Identifier: MIT */
/*
 * Small random programs of several threads, and an interpreter of them: one schedule at a time,
 * with a trace of it as text, or all schedules there are.
 *
 * What a thread does next depends on its *history*: the ways of its branches and what it has read
 * where something unknown came of it; or, by sources, the write that each of its reads has seen.
 * Histories are nodes of a tree. A behaviour is the history of each thread.
 */
#ifndef SUPPORT_SMALL_PROGRAM_H
#define SUPPORT_SMALL_PROGRAM_H

#include "base/keyed.h"
#include "tests/support/random.h"

#include <stdio.h>

#define SMALL_THREADS 5
#define SMALL_OPS 64
#define SMALL_VARIABLES 5 /* the last two are an array */
#define SMALL_LOCKS 2
#define SMALL_REGISTERS 3

enum small_kind {
	SMALL_END,
	SMALL_LOAD,	    /* register = variable */
	SMALL_LOAD_INDEX,   /* register = array[register a & 1] */
	SMALL_STORE,	    /* variable = register + constant */
	SMALL_STORE_CONST,  /* variable = constant */
	SMALL_STORE_UNTOLD, /* variable = some function of the register */
	SMALL_ADD,	    /* register = variable, which grows by a constant, as one step */
	SMALL_ADD_UNTOLD,   /* the same by some function */
	SMALL_LOCK,
	SMALL_UNLOCK,
	SMALL_TRY, /* register = lock taken */
	SMALL_FORK,
	SMALL_JOIN,
	SMALL_UNLESS,	     /* jump if not (register < constant) */
	SMALL_UNLESS_SAME,   /* jump if not (register = constant) */
	SMALL_SWITCH,	     /* constant, other, or neither of them: jump by 1, 2 */
	SMALL_UNLESS_UNTOLD, /* jump if some function of the register */
	SMALL_UNLESS_BARE,   /* the same; the trace does not say on what it depends */
	SMALL_JUMP,
	SMALL_ASSERT,	    /* the process ends unless register != constant */
	SMALL_WAIT,	    /* for the condition, with the lock `other` */
	SMALL_WAIT_LIMITED, /* the same; register = its time limit was not over */
	SMALL_SIGNAL,
	SMALL_BROADCAST,
	SMALL_POST, /* of the semaphore */
	SMALL_TAKE,
	SMALL_TRY_TAKE, /* register = there was something to take */
};

struct small_op {
	uint8_t kind, reg, object; /* variable, lock, thread */
	int8_t constant, other;
	uint8_t target;
};

struct small_program {
	struct small_op ops[SMALL_THREADS][SMALL_OPS];
	uint32_t length[SMALL_THREADS];
	uint32_t threads;
	bool exits; /* main may end while others run */
	bool cuts;  /* some thread may not come to its end: by exit, an assertion, a deadlock */
};

/* What programs have. */
struct small_shape {
	uint32_t threads, ops; /* at most */
	bool untold, locks, tries, asserts, exits, late_forks, waits, semaphores;
};

void small_make(struct small_program *p, const struct small_shape *shape, struct random *r);
void small_print(const struct small_program *p, FILE *out);

/* Histories: 0 is none. */
struct small_step {
	uint64_t key;
	uint32_t node;
};

struct small_histories {
	bool by_source;
	VEC(uint32_t) parent;
	KEYED(struct small_step) steps;
};

void small_histories_release(struct small_histories *h);

struct small_behaviour {
	uint32_t thread[SMALL_THREADS];
};

/* a's histories are the starts of b's. */
bool small_is_within(const struct small_histories *h, const struct small_behaviour *a,
		     const struct small_behaviour *b);

struct small_behaviours {
	VEC(struct small_behaviour) at;
};

/* Those of all schedules; false: these are more than `most` states. */
bool small_run_all(const struct small_program *p, struct small_histories *h, size_t most,
		   struct small_behaviours *found);

/* One run, which writes its trace. */
struct small_run;

struct small_run *small_run_new(const struct small_program *p, struct small_histories *h);
void small_run_free(struct small_run *run);
/*
 * One step of the thread; false: it cannot take one. A signal or broadcast wakes the threads of
 * `wakes`, by bits: if these do not wait, false. Who waits with a time limit where others would
 * have to wake it has given up. SMALL_ANY: whom it may. That somebody gives up is a step, too, and
 * no event.
 */
#define SMALL_ANY UINT32_MAX
bool small_run_step(struct small_run *run, uint32_t thread, uint32_t wakes, struct random *r);
/* To the end: the thread `first` as long as it can go on, then others. */
void small_run_on(struct small_run *run, uint32_t first, uint32_t wakes, struct random *r);
struct small_behaviour small_run_behaviour(const struct small_run *run);
/* Events so far. */
uint32_t small_run_events(const struct small_run *run);
/* The whole trace, to be freed. */
char *small_run_trace(struct small_run *run);

#endif
