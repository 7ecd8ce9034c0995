/* SPDX-License-Identifier: MIT */
/*
 * Replay (doc/replay.md, plan.h): every step waits for its turn.
 *
 * A hook or wrapper says what it is about to do before it does it (norn_begin_step, or
 * norn_enter_step for hooks) and when the effect is there (norn_end_step, norn_leave). Between the
 * two, if the plan names the step, it is this thread's turn and nobody else takes a planned step.
 * What led to no record after all (a lock that could not be given back) was no step: then nothing
 * is counted, and the turn stays with the thread.
 *
 * When nothing is replayed, norn_plan is null, hooks do not look at it, and wrappers do nothing but
 * that. In replay `limit` of each thread is null, so that no hook goes its quick way.
 */
#ifndef RUNTIME_REPLAY_REPLAY_H
#define RUNTIME_REPLAY_REPLAY_H

#include "runtime/log.h"
#include "runtime/plan.h"
#include "runtime/self.h"

extern NORN_HIDDEN const struct plan *norn_plan;

NORN_INLINE bool norn_replays(void)
{
	return NORN_UNLIKELY(norn_plan != NULL);
}

struct norn_what {
	enum log_kind kind;
	bool tries;	 /* of a lock or semaphore: it may fail */
	bool access;	 /* an access or branch: it has a site */
	bool loose;	 /* no step, whatever its site and pc say */
	bool only_stops; /* it waits for no turn */
	bool performed;	 /* an access that libc or the kernel has made already */
	uint32_t site;
	const void *object; /* or address */
	const void *also;   /* of an access: another address, or NULL */
	uint64_t size;
	const void *pc;
};

/* Maps the plan, if the run is a replay. False: it is one, and cannot be. */
NORN_HIDDEN bool norn_replay_begin(void);
NORN_HIDDEN void norn_replay_in_child(void);
/* Whether the plan is still under way; in a replay alone. */
NORN_HIDDEN bool norn_follows(void);
/* A thread that has its number, before its first step. */
NORN_HIDDEN void norn_replay_thread(struct norn_self *me);

/* For a thread that is busy, and is recorded. */
NORN_HIDDEN void norn_follow(struct norn_self *me, struct norn_step *step,
			     const struct norn_what *what);
/* For one that is not busy. */
NORN_HIDDEN void norn_step_wait(struct norn_step *step, const struct norn_what *what);
NORN_HIDDEN void norn_step_over(struct norn_self *me, struct norn_step *step, bool happened);

NORN_INLINE struct norn_step norn_begin_step(enum log_kind kind, const void *object, const void *pc)
{
	struct norn_step step = {.index = PLAN_NONE};
	if (norn_replays())
		norn_step_wait(&step,
			       &(struct norn_what){.kind = kind, .object = object, .pc = pc});
	return step;
}

/* A lock or semaphore that may not be had. */
NORN_INLINE struct norn_step norn_begin_try(enum log_kind kind, const void *object, const void *pc)
{
	struct norn_step step = {.index = PLAN_NONE, .tries = LOG_TRIES};
	if (norn_replays())
		norn_step_wait(&step,
			       &(struct norn_what){
				       .kind = kind, .tries = true, .object = object, .pc = pc});
	return step;
}

NORN_INLINE void norn_end_step(struct norn_step *step, bool happened)
{
	if (NORN_UNLIKELY(step->taken))
		norn_step_over(&norn_self, step, happened);
}

/*
 * An access of more than a line, or of a library function (site 0). `loose`: it is a later piece of
 * one, and the piece before is over.
 */
NORN_INLINE void norn_next_piece(struct norn_step *step, enum log_kind kind, const void *p,
				 size_t n, uint32_t site, const void *pc, bool loose)
{
	if (!norn_replays())
		return;
	norn_end_step(step, true);
	norn_step_wait(step, &(struct norn_what){.kind = kind,
						 .access = true,
						 .loose = loose,
						 .site = site,
						 .object = p,
						 .size = n,
						 .pc = pc});
}

/* What the plan says of a try: nothing, that it fails, or that it is successful. */
NORN_INLINE bool norn_step_fails(const struct norn_step *step)
{
	return step->kind == LOG_TRY_FAIL || step->kind == LOG_TRY_FAIL_SHARED ||
	       step->kind == LOG_SEM_FAIL;
}
NORN_INLINE bool norn_step_succeeds(const struct norn_step *step)
{
	return step->kind != LOG_NOTHING && !norn_step_fails(step);
}

/* For hooks: makes room and waits for the turn, which norn_leave gives on. */
NORN_HIDDEN bool norn_prepare_step(struct norn_self *me, enum log_kind kind, uint32_t site,
				   const volatile void *p, unsigned size, const void *pc);

/* As norn_enter, for an access or branch that is one step. */
NORN_INLINE bool norn_enter_step(struct norn_self *me, enum log_kind kind, uint32_t site,
				 const volatile void *p, unsigned size)
{
	if (NORN_UNLIKELY(me->busy))
		return false;
	me->busy = 1;
	NORN_COMPILER_BARRIER();
	if (NORN_LIKELY(me->at < me->limit) ||
	    norn_prepare_step(me, kind, site, p, size, __builtin_return_address(0)))
		return true;
	norn_leave(me);
	return false;
}

/* Around a call that waits for others: blocked.h. */
NORN_HIDDEN void norn_set_blocked(enum log_kind kind, const void *object, const void *pc);
NORN_HIDDEN void norn_set_running(void);
NORN_HIDDEN void norn_set_ended(struct norn_self *me);

/* Whether the handler of this signal may run now: then it counts as begun. If not, it is kept. */
NORN_HIDDEN bool norn_handler_begins(struct norn_self *me, int signal);
NORN_HIDDEN void norn_keep_signal(struct norn_self *me, int signal, const siginfo_t *info);

/* Before something at the object that is no step, but whose order counts: if the thread has no more
 * steps in the plan, behind that; and then a point of the schedule. */
NORN_HIDDEN void norn_replay_point(const void *object);

/* A call of code without hooks waits for others: what it was to change before they go on is done.
 */
NORN_HIDDEN void norn_call_waits(void);

/* Of a thread that does not go on by itself, whether the plan has more of it than what it does just
 * now. */
NORN_HIDDEN bool norn_has_more_steps(void);
/* The thread waits for input that does not come. */
NORN_HIDDEN void norn_starve(void);

/* Who ends the program: if it has no more steps in the plan, it waits until that is at its end; of
 * a deadlock, until nobody else is left. True: it has waited until nobody else can go on. */
NORN_HIDDEN bool norn_replay_exit(bool crashes);

/* The number of the thread that this step makes. */
NORN_HIDDEN uint32_t norn_replay_number(const struct norn_step *step);

/* Whether the plan has the end of this wait; and who wakes it: index + 1 of the signal, PLAN_NONE:
 * none of the plan, 0: that is not known. */
NORN_HIDDEN bool norn_replay_waker(const struct norn_step *wait, uint32_t *waker);

#endif
