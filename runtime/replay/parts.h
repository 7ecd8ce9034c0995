/* SPDX-License-Identifier: MIT */
/*
 * What the files of this room share: replay.c follows the plan, stop.c holds threads at its end,
 * and tell.c tells norn replay where they are. Callers are busy (self.h).
 */
#ifndef RUNTIME_REPLAY_PARTS_H
#define RUNTIME_REPLAY_PARTS_H

#include <limits.h>
#include <linux/futex.h>

#include "runtime/replay/replay.h"
#include "runtime/sys.h"

struct norn_replay {
	const struct plan_thread *threads;
	const struct plan_step *steps;
	const struct plan_handler *handlers;
	uint32_t first_stop; /* steps from here on are stops */
	struct replay_state *state;
	struct replay_thread *of;
};

extern NORN_HIDDEN struct norn_replay norn_replay;

/* Words that norn replay looks at, too */

NORN_INLINE uint32_t norn_load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

NORN_INLINE void norn_store(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

#define NORN_ANYBODY FUTEX_BITSET_MATCH_ANY

NORN_INLINE void norn_sleep_on(uint32_t *word, uint32_t value, uint32_t bits)
{
	NORN_SYS(futex, word, FUTEX_WAIT_BITSET, value, 0, 0, bits);
}

NORN_INLINE void norn_wake(uint32_t *word, uint32_t bits)
{
	NORN_SYS(futex, word, FUTEX_WAKE_BITSET, INT_MAX, 0, 0, bits);
}

/* replay.c */

NORN_HIDDEN void norn_wait_for_turn(struct norn_self *me, uint32_t turn);

/* Before the thread sleeps. */
NORN_HIDDEN void norn_pass_loose(struct norn_self *me, const struct norn_what *what);

/* schedule.c: as /proc says, 0: there is no such task. */
NORN_HIDDEN char norn_state_of_task(uint32_t task);

/* tell.c */

NORN_HIDDEN struct replay_thread *norn_replay_of(const struct norn_self *me);
/* Of an access or branch, as plan_step has it; 0: not known. */
NORN_HIDDEN uint64_t norn_place_of(const struct norn_what *what);
/* `fully`: with address, value and stack. */
NORN_HIDDEN void norn_tell(struct norn_self *me, enum replay_where where,
			   const struct norn_what *what, bool fully);
NORN_HIDDEN __attribute__((noreturn)) void
norn_diverge(struct norn_self *me, const struct norn_what *what, uint32_t expected);
NORN_HIDDEN __attribute__((noreturn)) void norn_hold_for_ever(void);

/* signal.c */

/* Before a step, until all handlers have run that ran before it. */
NORN_HIDDEN void norn_await_handlers(struct norn_self *me, const void *pc);
NORN_HIDDEN void norn_send_kept(struct norn_self *me);

/* stop.c */

NORN_HIDDEN void norn_set_phase(enum replay_phase from, enum replay_phase to);
/* The turn has come to the stops. */
NORN_HIDDEN void norn_end_plan(void);

enum norn_stood {
	NORN_PASSED, /* it was not the place: the record belongs to no planned step */
	NORN_GOES,   /* without a plan */
	NORN_TURN,   /* it is its turn, which it has to give on */
};
/* At its stop, until the step may be taken. */
NORN_HIDDEN enum norn_stood norn_stand(struct norn_self *me, const struct norn_what *what,
				       uint32_t index);

#endif
