/* SPDX-License-Identifier: MIT */
/*
 * Logging what happens to locks and other objects, for the wrappers. Each function is busy for its
 * own time; `pc` is where the wrapper returns to. Nothing happens in threads that are not recorded.
 */
#ifndef RUNTIME_PTHREAD_LOCKS_H
#define RUNTIME_PTHREAD_LOCKS_H

#include "runtime/append.h"
#include "runtime/modules.h"
#include "runtime/replay/replay.h"
#include "runtime/shadow.h"

#define NORN_PC norn_caller(__builtin_return_address(0))

/* What a library calls within a call of which a model speaks (model.c) is that call's. A function
 * that ends with such a call returns to what stands in front of it. */
#define NORN_FRONT 256
NORN_INLINE const void *norn_caller(const void *pc)
{
	const struct norn_self *me = &norn_self;
	if (NORN_LIKELY(!me->via))
		return pc;
	return !norn_step_site(pc) || (uintptr_t)pc - me->front < NORN_FRONT ? me->via : pc;
}

/* As norn_enter; false as well for what a model has told already. */
NORN_INLINE bool norn_enter_sync(struct norn_self *me, const void *pc)
{
	return !(me->hides && pc == me->via) && norn_enter(me);
}

/* A record of three words, object and pc, on the object's shard. */
NORN_HIDDEN void norn_log_object(enum log_kind kind, const void *object, const void *pc);
/* LOG_INIT, and what was known of an object at this address is forgotten. */
NORN_HIDDEN void norn_log_init(const void *object, const void *pc);
/* Only forgets: the object is destroyed. */
NORN_HIDDEN void norn_log_destroy(const void *object);

/* Right after it was taken. `died`: its owner, who may be in the log as if it held it still. */
NORN_HIDDEN void norn_log_acquire(const void *lock, const void *pc, bool shared, bool died,
				  uint32_t tries);

/*
 * Right before it is given back; whether that was logged. A thread that does not hold it may still
 * give it back if `anybody` may.
 */
NORN_HIDDEN bool norn_log_release(const void *lock, const void *pc, bool anybody);

/* So often, a second or more, a call that failed is tried again for the log to agree; after that,
 * somebody outside is taken to hold the object (another process), and the failure is not logged. */
#define NORN_TRIES_MOST 20000

/* A variable that the program does not see: one for each object, 0 at first. Null: nothing is
 * recorded. */
NORN_HIDDEN int64_t *norn_hidden(const void *object);
NORN_HIDDEN uint32_t norn_library_value(void); /* sites */
NORN_HIDDEN uint32_t norn_library_guard(void);
/* Whether the object has one. */
NORN_HIDDEN bool norn_has_hidden(const void *object);
/* What stands for something that a model hands over: it may be a small number, and others have
 * counters for these. */
NORN_INLINE const void *norn_item(const void *object)
{
	return (const void *)((uintptr_t)object ^ UINT64_C(1) << 62);
}

enum norn_failed { NORN_FAILED, NORN_TRY_AGAIN };
/* After a try that failed: whether the log agrees, and it is logged; or it has to be tried again,
 * and so it is if the plan says that it has to be successful. Ends the step if it does not. */
NORN_HIDDEN enum norn_failed norn_log_try_failed(const void *lock, const void *pc, bool shared,
						 uint32_t *tries, struct norn_step *step);
/* A try that the plan wants to fail: it is logged, and the step is over. Returns `result`. */
NORN_HIDDEN int norn_log_planned_failure(const void *lock, const void *pc, struct norn_step *step,
					 int result);

/* A signal, whatever kind the condition is of; in replay it wakes who sleeps on that. */
NORN_HIDDEN void norn_log_signal(const void *condition, const void *pc, struct norn_step *step);

/* A wait on a condition, whatever kind it is of: right before it, whether that was logged, and
 * right after it. `limited`: it does not wait for ever. */
NORN_HIDDEN bool norn_log_wait(const void *condition, const void *mutex, const void *pc);
NORN_HIDDEN void norn_log_woken(const void *condition, const void *mutex, const void *pc,
				bool limited, bool timed_out);

/* Both of them, and the wait, with functions for the mutex; false: it timed out. */
NORN_HIDDEN bool norn_wait_in_replay(const void *condition, void *mutex, const void *pc,
				     bool limited, void (*give)(void *), void (*take)(void *));

/* Semaphores that are no sem_t. One that was never made starts with 0. */
NORN_HIDDEN void norn_log_sem_init(const void *semaphore, const void *pc, int64_t count);
NORN_HIDDEN void norn_log_sem_post(const void *semaphore, const void *pc);
NORN_HIDDEN void norn_log_sem_wait(const void *semaphore, const void *pc, uint32_t tries);
NORN_HIDDEN enum norn_failed norn_log_sem_failed(const void *semaphore, const void *pc,
						 uint32_t *tries, struct norn_step *step);

#endif
