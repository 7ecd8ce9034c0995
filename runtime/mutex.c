/*
 * Mutexes and spinlocks. They are taken without waiting if possible, so that LOG_TIME is only
 * written where time passes.
 */
#include <errno.h>

#include "runtime/locks.h"
#include "runtime/real.h"

static int taken(const void *mutex, const void *pc, int result)
{
	if (result == 0 || result == EOWNERDEAD)
		norn_log_acquire(mutex, pc, false, result == EOWNERDEAD);
	return result;
}

int NORN_WRAPPER(pthread_mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	int result = NORN_REAL(pthread_mutex_init)(mutex, attributes);
	if (result == 0)
		norn_log_init(mutex, NORN_PC);
	return result;
}

int NORN_WRAPPER(pthread_mutex_destroy)(pthread_mutex_t *mutex)
{
	int result = NORN_REAL(pthread_mutex_destroy)(mutex);
	if (result == 0)
		norn_log_destroy(mutex);
	return result;
}

int NORN_WRAPPER(pthread_mutex_lock)(pthread_mutex_t *mutex)
{
	int result = NORN_REAL(pthread_mutex_trylock)(mutex);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		result = NORN_REAL(pthread_mutex_lock)(mutex);
	}
	return taken(mutex, NORN_PC, result);
}

/* Until it is taken, or the log agrees that it is not free. */
static int try_mutex(pthread_mutex_t *mutex, const void *pc)
{
	for (uint32_t tries = 0;;) {
		int result = NORN_REAL(pthread_mutex_trylock)(mutex);
		if (result != EBUSY)
			return taken(mutex, pc, result);
		if (norn_log_try_failed(mutex, pc, false, &tries) == NORN_FAILED)
			return EBUSY;
	}
}

int NORN_WRAPPER(pthread_mutex_trylock)(pthread_mutex_t *mutex)
{
	return try_mutex(mutex, NORN_PC);
}

/* It ran out of time; by now it may be free again. */
static int timed_out(pthread_mutex_t *mutex, const void *pc)
{
	int result = try_mutex(mutex, pc);
	return result == EBUSY ? ETIMEDOUT : result;
}

int NORN_WRAPPER(pthread_mutex_timedlock)(pthread_mutex_t *mutex, const struct timespec *until)
{
	int result = NORN_REAL(pthread_mutex_trylock)(mutex);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		result = NORN_REAL(pthread_mutex_timedlock)(mutex, until);
	}
	return result == ETIMEDOUT ? timed_out(mutex, NORN_PC) : taken(mutex, NORN_PC, result);
}

int NORN_WRAPPER(pthread_mutex_clocklock)(pthread_mutex_t *mutex, clockid_t clock,
					  const struct timespec *until)
{
	int result = NORN_REAL(pthread_mutex_trylock)(mutex);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		result = NORN_REAL(pthread_mutex_clocklock)(mutex, clock, until);
	}
	return result == ETIMEDOUT ? timed_out(mutex, NORN_PC) : taken(mutex, NORN_PC, result);
}

/* Whether it looks who gives it back. glibc keeps its type in the low bits of its kind. */
static bool checks_owner(const pthread_mutex_t *mutex)
{
	int kind = mutex->__data.__kind & 127;
	return kind != PTHREAD_MUTEX_NORMAL && kind != PTHREAD_MUTEX_ADAPTIVE_NP;
}

int NORN_WRAPPER(pthread_mutex_unlock)(pthread_mutex_t *mutex)
{
	if (!checks_owner(mutex))
		norn_log_release_any(mutex, NORN_PC);
	else if (norn_log_release(mutex, NORN_PC) == NORN_RELEASED) {
		int result = NORN_REAL(pthread_mutex_unlock)(mutex);
		/* It cannot fail; if it does all the same, the thread holds it still. */
		return result == 0 ? 0 : (taken(mutex, NORN_PC, 0), result);
	}
	return NORN_REAL(pthread_mutex_unlock)(mutex);
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

int NORN_WRAPPER(pthread_spin_lock)(pthread_spinlock_t *lock)
{
	int result = NORN_REAL(pthread_spin_trylock)(lock);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		result = NORN_REAL(pthread_spin_lock)(lock);
	}
	return taken((const void *)lock, NORN_PC, result);
}

int NORN_WRAPPER(pthread_spin_trylock)(pthread_spinlock_t *lock)
{
	for (uint32_t tries = 0;;) {
		int result = NORN_REAL(pthread_spin_trylock)(lock);
		if (result != EBUSY)
			return taken((const void *)lock, NORN_PC, result);
		if (norn_log_try_failed((const void *)lock, NORN_PC, false, &tries) == NORN_FAILED)
			return EBUSY;
	}
}

int NORN_WRAPPER(pthread_spin_unlock)(pthread_spinlock_t *lock)
{
	norn_log_release_any((const void *)lock, NORN_PC);
	return NORN_REAL(pthread_spin_unlock)(lock);
}
