/* Read-write locks. */
#include <errno.h>

#include "runtime/locks.h"
#include "runtime/real.h"

static int taken(pthread_rwlock_t *lock, bool shared, int result, const void *pc)
{
	if (result == 0)
		norn_log_acquire(lock, pc, shared, false);
	return result;
}

static int try_real(pthread_rwlock_t *lock, bool shared)
{
	return shared ? NORN_REAL(pthread_rwlock_tryrdlock)(lock)
		      : NORN_REAL(pthread_rwlock_trywrlock)(lock);
}

static int take(pthread_rwlock_t *lock, bool shared, const void *pc)
{
	int result = try_real(lock, shared);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		result = shared ? NORN_REAL(pthread_rwlock_rdlock)(lock)
				: NORN_REAL(pthread_rwlock_wrlock)(lock);
	}
	return taken(lock, shared, result, pc);
}

static int try_to_take(pthread_rwlock_t *lock, bool shared, const void *pc)
{
	for (uint32_t tries = 0;;) {
		int result = try_real(lock, shared);
		if (result != EBUSY)
			return taken(lock, shared, result, pc);
		if (norn_log_try_failed(lock, pc, shared, &tries) == NORN_FAILED)
			return EBUSY;
	}
}

static int take_until(pthread_rwlock_t *lock, bool shared, clockid_t clock,
		      const struct timespec *until, const void *pc)
{
	int result = try_real(lock, shared);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		result = shared ? NORN_REAL(pthread_rwlock_clockrdlock)(lock, clock, until)
				: NORN_REAL(pthread_rwlock_clockwrlock)(lock, clock, until);
	}
	if (result != ETIMEDOUT)
		return taken(lock, shared, result, pc);
	result = try_to_take(lock, shared, pc);
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
	return try_to_take(lock, true, NORN_PC);
}

int NORN_WRAPPER(pthread_rwlock_trywrlock)(pthread_rwlock_t *lock)
{
	return try_to_take(lock, false, NORN_PC);
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
	norn_log_release(lock, NORN_PC, true);
	return NORN_REAL(pthread_rwlock_unlock)(lock);
}
