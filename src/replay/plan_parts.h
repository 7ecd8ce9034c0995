/* SPDX-License-Identifier: MIT */
/* What the files of the plan share, while it is made: plan.c reads the trace, plan_stops.c says
 * where threads stand in the end. */
#ifndef REPLAY_PLAN_PARTS_H
#define REPLAY_PLAN_PARTS_H

#include "replay/planner.h"
#include "runtime/log.h"

/* An event of the witness, and its place there. */
struct wanted {
	uint64_t event;
	uint32_t at;
};

struct made_step {
	struct plan_step step;
	uint64_t event, waker;
	bool ends;	  /* a wait, and the trace has its end, by `waker`; 0: by nobody */
	uint64_t address; /* of an access, 0: not known */
	uint32_t base;	  /* what that lies in */
	uint32_t location;
	bool is_step;
};

/* A thread of the trace, while that is read. */
struct made_thread {
	uint32_t number;
	uint64_t step;	       /* that it has come to */
	struct made_step last; /* that is in the plan */
	uint32_t at;	       /* the last of the run that is that thread's, + 1 */
	uint32_t waits;	       /* in this one of the run, + 1: what comes next is its end */
	bool forked, ended;    /* in the run */
	bool stands;	       /* before next_event, which is not in the run */
	uint64_t next_event;
	struct made_step next;
	uint64_t events;    /* of it, so far */
	uint64_t scope_end; /* the last of them that the last branch of the run governs */
	uint64_t scope_step;
	bool next_blocks; /* next_event may have to wait */
	bool at_branch;	  /* it stands behind that branch, or goes the other way */
};

struct maker {
	const struct witness *witness; /* NULL: the run is as recorded, up to `last` */
	uint64_t last;
	struct replay_plan *plan;
	VEC(struct wanted) wanted; /* by event */
	VEC(struct made_step) run; /* by place in the witness */
	VEC(struct made_thread) threads;
	VEC(uint32_t) index_of; /* of the run's events in the plan, + 1 */
	struct made_step past;	/* a step: it was the run's, and is the stop */
};

static inline bool plan_is_access(const struct made_step *s)
{
	return s->step.kind >= LOG_READ && s->step.kind <= LOG_RMW;
}

/* The place of an event in the run, PLAN_NONE: it is not there. */
uint32_t plan_find_wanted(const struct maker *m, uint64_t event);
void plan_add_step(struct maker *m, const struct made_step *s);

/* Whether threads can stop there, 0, or not, 1; then what of the run is to be left out is. */
int plan_settle_stops(struct maker *m, struct err *err);
void plan_put_stops(struct maker *m);

#endif
