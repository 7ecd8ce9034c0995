/* SPDX-License-Identifier: MIT */
/* Read-write locks. */
#include <errno.h>

#include "runtime/blocked.h"
#include "runtime/inputs.h"
#include "runtime/pthread/locks.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/schedule.h"

static int taken(pthread_rwlock_t *lock, bool shared, int result, const void *pc,
		 struct norn_step *step)
{
	if (result == 0)
		norn_log_acquire(lock, pc, shared, false, step->tries);
	norn_end_step(step, result == 0);
	return result;
}

static enum log_kind kind_of(bool shared)
{
	return shared ? LOG_ACQUIRE_SHARED : LOG_ACQUIRE;
}

static int try_real(pthread_rwlock_t *lock, bool shared)
{
	return shared ? NORN_REAL(pthread_rwlock_tryrdlock)(lock)
		      : NORN_REAL(pthread_rwlock_trywrlock)(lock);
}

static int wait_to_take(pthread_rwlock_t *lock, bool shared, const void *pc, struct norn_step *step)
{
	int result = try_real(lock, shared);
	while (result == EBUSY && norn_turn_awaits(kind_of(shared), lock, pc))
		result = try_real(lock, shared);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		norn_blocks(kind_of(shared), lock, pc,
			    lock->__data.__shared ? NORN_SHARED : NORN_FOR_EVER);
		result = shared ? NORN_REAL(pthread_rwlock_rdlock)(lock)
				: NORN_REAL(pthread_rwlock_wrlock)(lock);
		norn_runs(result == 0);
	}
	return taken(lock, shared, result, pc, step);
}

static int take(pthread_rwlock_t *lock, bool shared, const void *pc)
{
	struct norn_step step = norn_begin_step(kind_of(shared), lock, pc);
	return wait_to_take(lock, shared, pc, &step);
}

static int try_to_take(pthread_rwlock_t *lock, bool shared, const void *pc, struct norn_step *step)
{
	for (uint32_t tries = 0;;) {
		int result = try_real(lock, shared);
		if (result != EBUSY)
			return taken(lock, shared, result, pc, step);
		if (norn_log_try_failed(lock, pc, shared, &tries, step) == NORN_FAILED)
			return EBUSY;
	}
}

static int try_once(pthread_rwlock_t *lock, bool shared, const void *pc)
{
	struct norn_step step = norn_begin_try(kind_of(shared), lock, pc);
	if (norn_step_fails(&step))
		return norn_log_planned_failure(lock, pc, &step, EBUSY);
	return try_to_take(lock, shared, pc, &step);
}

static int take_until(pthread_rwlock_t *lock, bool shared, clockid_t clock,
		      const struct timespec *until, const void *pc)
{
	struct norn_step step = norn_begin_try(kind_of(shared), lock, pc);
	if (norn_step_fails(&step))
		return norn_log_planned_failure(lock, pc, &step, ETIMEDOUT);
	if (norn_step_succeeds(&step))
		return wait_to_take(lock, shared, pc, &step);
	struct timespec ours;
	int result = try_real(lock, shared);
	bool expired = false;
	while (result == EBUSY && norn_turn_awaits_until(kind_of(shared), lock, pc, &expired))
		result = try_real(lock, shared);
	if (result == EBUSY && !expired) {
		norn_log_time(&norn_self);
		norn_blocks(kind_of(shared), lock, pc, NORN_LIMITED);
		until = norn_real_until(clock, until, &ours, pc);
		result = shared ? NORN_REAL(pthread_rwlock_clockrdlock)(lock, clock, until)
				: NORN_REAL(pthread_rwlock_clockwrlock)(lock, clock, until);
		norn_runs(result == 0);
	}
	if (result != ETIMEDOUT && result != EBUSY)
		return taken(lock, shared, result, pc, &step);
	result = try_to_take(lock, shared, pc, &step);
	return result == EBUSY ? ETIMEDOUT : result;
}

int NORN_WRAPPER(pthread_rwlock_init)(pthread_rwlock_t *lock,
				      const pthread_rwlockattr_t *attributes)
{
	int result = NORN_REAL(pthread_rwlock_init)(lock, attributes);
	if (result == 0)
		norn_log_init(lock, NORN_PC);
	return result;
}

int NORN_WRAPPER(pthread_rwlock_destroy)(pthread_rwlock_t *lock)
{
	norn_log_destroy(lock);
	return NORN_REAL(pthread_rwlock_destroy)(lock);
}

int NORN_WRAPPER(pthread_rwlock_rdlock)(pthread_rwlock_t *lock)
{
	return take(lock, true, NORN_PC);
}

int NORN_WRAPPER(pthread_rwlock_wrlock)(pthread_rwlock_t *lock)
{
	return take(lock, false, NORN_PC);
}

int NORN_WRAPPER(pthread_rwlock_tryrdlock)(pthread_rwlock_t *lock)
{
	return try_once(lock, true, NORN_PC);
}

int NORN_WRAPPER(pthread_rwlock_trywrlock)(pthread_rwlock_t *lock)
{
	return try_once(lock, false, NORN_PC);
}

int NORN_WRAPPER(pthread_rwlock_timedrdlock)(pthread_rwlock_t *lock, const struct timespec *until)
{
	return take_until(lock, true, CLOCK_REALTIME, until, NORN_PC);
}

int NORN_WRAPPER(pthread_rwlock_timedwrlock)(pthread_rwlock_t *lock, const struct timespec *until)
{
	return take_until(lock, false, CLOCK_REALTIME, until, NORN_PC);
}

int NORN_WRAPPER(pthread_rwlock_clockrdlock)(pthread_rwlock_t *lock, clockid_t clock,
					     const struct timespec *until)
{
	return take_until(lock, true, clock, until, NORN_PC);
}

int NORN_WRAPPER(pthread_rwlock_clockwrlock)(pthread_rwlock_t *lock, clockid_t clock,
					     const struct timespec *until)
{
	return take_until(lock, false, clock, until, NORN_PC);
}

int NORN_WRAPPER(pthread_rwlock_unlock)(pthread_rwlock_t *lock)
{
	struct norn_step step = norn_begin_step(LOG_RELEASE, lock, NORN_PC);
	bool logged = norn_log_release(lock, NORN_PC, true);
	int result = NORN_REAL(pthread_rwlock_unlock)(lock);
	norn_end_step(&step, logged);
	return result;
}
