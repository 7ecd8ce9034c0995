/* SPDX-License-Identifier: MIT */
/*
 * Mutexes and spinlocks. They are taken without waiting if possible, so that LOG_TIME is only
 * written where time passes.
 */
#include <errno.h>

#include "runtime/blocked.h"
#include "runtime/inputs.h"
#include "runtime/pthread/locks.h"
#include "runtime/pthread/misuse.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/schedule.h"
#include "runtime/pthread/robust.h"
#include "runtime/pthread/sync.h"

static bool is_taken(int result)
{
	return result == 0 || result == EOWNERDEAD;
}

static int taken(const void *mutex, const void *pc, int result, struct norn_step *step)
{
	bool happened = is_taken(result) || (norn_replays() && norn_misuse_is_gone(mutex, result));
	if (happened)
		norn_log_acquire(mutex, pc, false, result == EOWNERDEAD, step->tries);
	norn_end_step(step, happened);
	return result;
}

int norn_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes, const void *pc)
{
	norn_misuse_remade(mutex);
	int result = NORN_REAL(pthread_mutex_init)(mutex, attributes);
	if (result == 0) {
		norn_log_init(mutex, pc);
		norn_misuse_made(mutex);
	}
	return result;
}

int norn_mutex_destroy(pthread_mutex_t *mutex, const void *pc)
{
	int result = norn_turn_scheduled() ? norn_misuse_destroy(mutex, pc)
					   : NORN_REAL(pthread_mutex_destroy)(mutex);
	if (result == 0)
		norn_log_destroy(mutex);
	return result;
}

/* Another process may hold it, and the log will never agree. glibc has a bit for such in its kind.
 */
static bool is_shared(const pthread_mutex_t *mutex)
{
	return mutex->__data.__kind & 128;
}

static int lock(pthread_mutex_t *mutex, const void *pc, struct norn_step *step)
{
	int result = norn_robust_try(mutex);
	while (result == EBUSY && norn_turn_awaits(LOG_ACQUIRE, mutex, pc))
		result = norn_robust_try(mutex);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		norn_blocks(LOG_ACQUIRE, mutex, pc, is_shared(mutex) ? NORN_SHARED : NORN_FOR_EVER);
		result = NORN_REAL(pthread_mutex_lock)(mutex);
		norn_runs(is_taken(result));
	}
	return taken(mutex, pc, result, step);
}

static int noted(const pthread_mutex_t *mutex, int result)
{
	if (norn_replays())
		norn_misuse_taken(mutex, result);
	return result;
}

int norn_mutex_lock(pthread_mutex_t *mutex, const void *pc)
{
	struct norn_step step = norn_begin_step(LOG_ACQUIRE, mutex, pc);
	return noted(mutex, lock(mutex, pc, &step));
}

#define TRIES_SHARED 50

/* Until it is taken, or the log agrees that it is not free. */
static int try_to_lock(pthread_mutex_t *mutex, const void *pc, struct norn_step *step)
{
	for (uint32_t tries = is_shared(mutex) ? NORN_TRIES_MOST - TRIES_SHARED : 0;;) {
		int result = NORN_REAL(pthread_mutex_trylock)(mutex);
		if (result != EBUSY)
			return taken(mutex, pc, result, step);
		if (norn_log_try_failed(mutex, pc, false, &tries, step) == NORN_FAILED)
			return EBUSY;
	}
}

int norn_mutex_try(pthread_mutex_t *mutex, const void *pc)
{
	struct norn_step step = norn_begin_try(LOG_ACQUIRE, mutex, pc);
	if (norn_step_fails(&step))
		return norn_log_planned_failure(mutex, pc, &step, EBUSY);
	return noted(mutex, try_to_lock(mutex, pc, &step));
}

static int lock_until(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until,
		      const void *pc)
{
	struct norn_step step = norn_begin_try(LOG_ACQUIRE, mutex, pc);
	if (norn_step_fails(&step))
		return norn_log_planned_failure(mutex, pc, &step, ETIMEDOUT);
	if (norn_step_succeeds(&step))
		return lock(mutex, pc, &step);
	struct timespec ours;
	int result = norn_robust_try(mutex);
	bool expired = false;
	while (result == EBUSY && norn_turn_awaits_until(LOG_ACQUIRE, mutex, pc, &expired))
		result = norn_robust_try(mutex);
	if (result == EBUSY && !expired) {
		norn_log_time(&norn_self);
		norn_blocks(LOG_ACQUIRE, mutex, pc, NORN_LIMITED);
		until = norn_real_until(clock, until, &ours, pc);
		result = clock == CLOCK_REALTIME
				 ? NORN_REAL(pthread_mutex_timedlock)(mutex, until)
				 : NORN_REAL(pthread_mutex_clocklock)(mutex, clock, until);
		norn_runs(is_taken(result));
	}
	if (result != ETIMEDOUT && result != EBUSY)
		return taken(mutex, pc, result, &step);
	/* By now it may be free again. */
	result = try_to_lock(mutex, pc, &step);
	if (result == ENOTRECOVERABLE)
		norn_robust_given_up(mutex);
	return result == EBUSY ? ETIMEDOUT : result;
}

int norn_mutex_timed(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until,
		     const void *pc)
{
	return noted(mutex, lock_until(mutex, clock, until, pc));
}

/* Whether it looks who gives it back. glibc keeps its type in the low bits of its kind. */
static bool checks_owner(const pthread_mutex_t *mutex)
{
	int kind = mutex->__data.__kind & 127;
	return kind != PTHREAD_MUTEX_NORMAL && kind != PTHREAD_MUTEX_ADAPTIVE_NP;
}

int norn_mutex_unlock(pthread_mutex_t *mutex, const void *pc)
{
	bool checks = checks_owner(mutex);
	struct norn_step step = norn_begin_step(LOG_RELEASE, mutex, pc);
	bool logged = norn_log_release(mutex, pc, !checks);
	int result = NORN_REAL(pthread_mutex_unlock)(mutex);
	norn_end_step(&step, logged);
	/* What the thread holds it can give back; if not, it holds it still. */
	if (result != 0 && logged)
		norn_log_acquire(mutex, pc, false, false, 0);
	return result;
}

int NORN_WRAPPER(pthread_mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	return norn_mutex_init(mutex, attributes, NORN_PC);
}

int NORN_WRAPPER(pthread_mutex_destroy)(pthread_mutex_t *mutex)
{
	return norn_mutex_destroy(mutex, NORN_PC);
}

int NORN_WRAPPER(pthread_mutex_lock)(pthread_mutex_t *mutex)
{
	return norn_robust_taken(mutex, norn_mutex_lock(mutex, NORN_PC));
}

int NORN_WRAPPER(pthread_mutex_trylock)(pthread_mutex_t *mutex)
{
	return norn_robust_taken(mutex, norn_mutex_try(mutex, NORN_PC));
}

int NORN_WRAPPER(pthread_mutex_timedlock)(pthread_mutex_t *mutex, const struct timespec *until)
{
	return norn_robust_taken(mutex, norn_mutex_timed(mutex, CLOCK_REALTIME, until, NORN_PC));
}

int NORN_WRAPPER(pthread_mutex_clocklock)(pthread_mutex_t *mutex, clockid_t clock,
					  const struct timespec *until)
{
	return norn_robust_taken(mutex, norn_mutex_timed(mutex, clock, until, NORN_PC));
}

int NORN_WRAPPER(pthread_mutex_unlock)(pthread_mutex_t *mutex)
{
	norn_robust_leaves(mutex);
	return norn_mutex_unlock(mutex, NORN_PC);
}

int NORN_WRAPPER(pthread_spin_init)(pthread_spinlock_t *lock, int shared)
{
	int result = NORN_REAL(pthread_spin_init)(lock, shared);
	if (result == 0)
		norn_log_init((const void *)lock, NORN_PC);
	return result;
}

int NORN_WRAPPER(pthread_spin_destroy)(pthread_spinlock_t *lock)
{
	norn_log_destroy((const void *)lock);
	return NORN_REAL(pthread_spin_destroy)(lock);
}

/* Nothing in it tells whether other processes share it. What a thread of this one holds, it has to
 * give back. */
static enum norn_how how_to_spin(pthread_spinlock_t *lock)
{
	struct norn_self *me = &norn_self;
	struct norn_shard *shard = norn_shard_of(lock);
	if (!norn_enter(me))
		return NORN_SHARED;
	norn_hold(me, shard);
	bool ours = norn_shadow_other_holds(shard, (const void *)lock, me->number, false) ||
		    norn_shadow_depth(shard, (const void *)lock, me->number, NORN_HELD);
	norn_release_unchanged(me, shard);
	norn_leave(me);
	return ours ? NORN_SPINS : NORN_SHARED;
}

int NORN_WRAPPER(pthread_spin_lock)(pthread_spinlock_t *lock)
{
	struct norn_step step = norn_begin_step(LOG_ACQUIRE, (const void *)lock, NORN_PC);
	int result = NORN_REAL(pthread_spin_trylock)(lock);
	while (result == EBUSY && norn_turn_awaits(LOG_ACQUIRE, (const void *)lock, NORN_PC))
		result = NORN_REAL(pthread_spin_trylock)(lock);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		norn_blocks(LOG_ACQUIRE, (const void *)lock, NORN_PC, how_to_spin(lock));
		result = NORN_REAL(pthread_spin_lock)(lock);
		norn_runs(result == 0);
	}
	return taken((const void *)lock, NORN_PC, result, &step);
}

int NORN_WRAPPER(pthread_spin_trylock)(pthread_spinlock_t *lock)
{
	const void *object = (const void *)lock;
	struct norn_step step = norn_begin_try(LOG_ACQUIRE, object, NORN_PC);
	if (norn_step_fails(&step))
		return norn_log_planned_failure(object, NORN_PC, &step, EBUSY);
	for (uint32_t tries = 0;;) {
		int result = NORN_REAL(pthread_spin_trylock)(lock);
		if (result != EBUSY)
			return taken(object, NORN_PC, result, &step);
		if (norn_log_try_failed(object, NORN_PC, false, &tries, &step) == NORN_FAILED)
			return EBUSY;
	}
}

int NORN_WRAPPER(pthread_spin_unlock)(pthread_spinlock_t *lock)
{
	struct norn_step step = norn_begin_step(LOG_RELEASE, (const void *)lock, NORN_PC);
	bool logged = norn_log_release((const void *)lock, NORN_PC, true);
	int result = NORN_REAL(pthread_spin_unlock)(lock);
	norn_end_step(&step, logged);
	return result;
}
