/* SPDX-License-Identifier: MIT */
/*
 * From a trace and a witness to the plan of a replay (runtime/plan.h): which thread takes which
 * step when, and where the threads of the bug stand at the end. doc/replay.md says what a step is.
 *
 * Events that are no records of the program are left out: what the recorder has inserted.
 */
#ifndef REPLAY_PLANNER_H
#define REPLAY_PLANNER_H

#include "runtime/plan.h"
#include "trace/reader.h"
#include "witness/witness.h"

struct replay_plan {
	enum bug_kind bug; /* BUG_COUNT: it is a schedule, without one */
	VEC(struct plan_step)
	steps;			 /* the last `stops` of them are where threads stand in the end */
	VEC(uint64_t) events;	 /* beside steps: the first event of each */
	VEC(uint32_t) locations; /* likewise, in symbols */
	VEC(struct plan_thread) threads;
	VEC(struct plan_handler) handlers; /* of a thread in a row, in their order */
	uint32_t stops;
	struct reader *reader;
	const struct symbols *symbols; /* the reader's */
};

/*
 * Takes r. Negative: an error. 1: the finding cannot be replayed, err->message says why; there is
 * no plan then. The plan is released in any case. Without events of a bug it is a schedule, with
 * nowhere to stop.
 */
int replay_plan_make(struct replay_plan *p, struct reader *r, const struct witness *w,
		     struct err *err);
/* The recorded order itself, up to the event `last`, with nowhere to stop. As above. */
int replay_plan_recorded(struct replay_plan *p, struct reader *r, uint64_t last, struct err *err);
void replay_plan_release(struct replay_plan *p);

/* The handlers of signals that ran before the last step of their thread in the plan. */
void replay_plan_add_handlers(struct replay_plan *p);

/* Writes the file; head has `end`, `hold` and `grace`. */
int replay_plan_write(const struct replay_plan *p, const char *path, struct plan head,
		      struct err *err);

/* The name of a thread that is numbered as in a plan: main, T1, … */
const char *replay_thread_name(uint32_t thread, char *text, size_t room);
/* Of a thread's name in a recorded trace; PLAN_NONE: no such thread. */
uint32_t replay_thread_number(const char *name);

/* FILE:LINE:COLUMN:FUNCTION of a step, "" if it is not known. */
const char *replay_plan_location(const struct replay_plan *p, uint32_t step);

#endif
