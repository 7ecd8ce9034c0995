/* SPDX-License-Identifier: MIT */
/*
 * A replay in which nothing moves: what does the thread do that holds it up? One that runs code
 * without hooks, and sleeps or spins there, waits for something that the plan does not give it: so
 * there is an order that the record does not show. One that has no processor is only slow.
 */
#ifndef REPLAY_STALL_H
#define REPLAY_STALL_H

#include "replay/planner.h"

#include <sys/types.h>

struct stall {
	uint32_t thread; /* that was looked at when half the time was over, PLAN_NONE: none */
	uint64_t ticks;	 /* of a processor that it had used by then */
};

/* When half the time is over in which nothing moved. */
void stall_look(struct stall *s, pid_t program, const struct replay_plan *plan,
		const struct replay_state *state, const struct replay_thread *threads);
/* When all of it is over, `seconds` later. */
bool stall_is_unseen(const struct stall *s, double seconds, pid_t program,
		     const struct replay_plan *plan, const struct replay_state *state,
		     const struct replay_thread *threads);

#endif
