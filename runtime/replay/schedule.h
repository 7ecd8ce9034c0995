/* SPDX-License-Identifier: MIT */
/*
 * Behind the plan, one thread at a time (doc/replay.md, Schedules): every step is a point at which
 * another thread may be chosen. What is chosen depends on the plan alone, as long as threads wait
 * only in calls that say so here.
 *
 * A call that would wait does not: it says what for (norn_turn_waits), other threads go on, and it
 * tries again when it is chosen. So nobody is woken by the kernel, at a time of its own. Calls that
 * do wait (norn_turn_leaves) are out of the schedule until they are back.
 */
#ifndef RUNTIME_REPLAY_SCHEDULE_H
#define RUNTIME_REPLAY_SCHEDULE_H

#include "runtime/replay/replay.h"

enum norn_turn_state {
	TURN_AWAY,    /* on its way to its next step; it is waited for */
	TURN_OUTSIDE, /* somewhere; it is not */
	TURN_READY,
	TURN_BLOCKED,
	TURN_ASLEEP,
	TURN_EXITS,   /* it ends the program when nobody else can go on */
	TURN_CRASHES, /* likewise; and before one that exits, which would hide it */
	TURN_RUNS,
};

/* The run has a schedule; this thread is scheduled now. */
NORN_HIDDEN bool norn_turn_scheduled(void);
NORN_HIDDEN bool norn_turn_prints(void); /* the order of what is printed is told */
NORN_HIDDEN bool norn_turn_on(const struct norn_self *me);

/* A thread that has its number; it is over; another one has been made. */
NORN_HIDDEN void norn_turn_begin(struct norn_self *me);
NORN_HIDDEN void norn_turn_end(struct norn_self *me);
NORN_HIDDEN void norn_turn_expect(void);
/* … until it has begun. */
NORN_HIDDEN void norn_turn_await_new(void);

/* Which one of so many, where that is up to the schedule. */
NORN_HIDDEN uint32_t norn_turn_chooses(uint32_t of);

/* Before a step. The thread is busy. */
NORN_HIDDEN void norn_turn_point(struct norn_self *me, struct norn_step *step,
				 const struct norn_what *what);

/*
 * A call that would have to wait. True: others have moved, and it has to try again. False: it is
 * not scheduled, or `limited` and its time is over (*expired then).
 */
NORN_HIDDEN bool norn_turn_waits(enum log_kind kind, const void *object, const void *pc,
				 bool limited, bool *expired);
/* For ever. */
NORN_INLINE bool norn_turn_awaits(enum log_kind kind, const void *object, const void *pc)
{
	bool expired;
	return norn_replays() && norn_turn_waits(kind, object, pc, false, &expired);
}
NORN_INLINE bool norn_turn_awaits_until(enum log_kind kind, const void *object, const void *pc,
					bool *expired)
{
	*expired = false;
	return norn_replays() && norn_turn_waits(kind, object, pc, true, expired);
}
/* Until a thread has ended. False: it is not scheduled, or `limited` and its time is over. */
NORN_HIDDEN bool norn_turn_join(uint32_t number, bool limited, const void *pc);
/* Who waits for the object may try again. */
NORN_HIDDEN void norn_turn_wake(const void *object);
/* A thread that is to be cancelled looks at that. */
NORN_HIDDEN void norn_turn_nudge(struct norn_self *other);

/* True: it has slept, in the schedule's time. */
NORN_HIDDEN bool norn_turn_sleeps(uint64_t ns);

/* Around a call that really waits. */
NORN_HIDDEN void norn_turn_leaves(struct norn_self *me);
NORN_HIDDEN void norn_turn_returns(struct norn_self *me);

/* It ends the program, in one of the last two states: until nobody else can go on. True: that is
 * so now. */
NORN_HIDDEN bool norn_turn_exits(struct norn_self *me, enum norn_turn_state how);

#endif
