/*
 * Mutexes and spinlocks. They are taken without waiting if possible, so that LOG_TIME is only
 * written where time passes.
 */
#include <errno.h>

#include "runtime/locks.h"
#include "runtime/real.h"
#include "runtime/sync.h"

static int taken(const void *mutex, const void *pc, int result)
{
	if (result == 0 || result == EOWNERDEAD)
		norn_log_acquire(mutex, pc, false, result == EOWNERDEAD);
	return result;
}

int norn_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes, const void *pc)
{
	int result = NORN_REAL(pthread_mutex_init)(mutex, attributes);
	if (result == 0)
		norn_log_init(mutex, pc);
	return result;
}

int norn_mutex_destroy(pthread_mutex_t *mutex)
{
	int result = NORN_REAL(pthread_mutex_destroy)(mutex);
	if (result == 0)
		norn_log_destroy(mutex);
	return result;
}

int norn_mutex_lock(pthread_mutex_t *mutex, const void *pc)
{
	int result = NORN_REAL(pthread_mutex_trylock)(mutex);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		result = NORN_REAL(pthread_mutex_lock)(mutex);
	}
	return taken(mutex, pc, result);
}

/* Another process may hold it, and the log will never agree. glibc has a bit for such in its kind.
 */
static bool is_shared(const pthread_mutex_t *mutex)
{
	return mutex->__data.__kind & 128;
}

#define TRIES_SHARED 50

/* Until it is taken, or the log agrees that it is not free. */
int norn_mutex_try(pthread_mutex_t *mutex, const void *pc)
{
	for (uint32_t tries = is_shared(mutex) ? NORN_TRIES_MOST - TRIES_SHARED : 0;;) {
		int result = NORN_REAL(pthread_mutex_trylock)(mutex);
		if (result != EBUSY)
			return taken(mutex, pc, result);
		if (norn_log_try_failed(mutex, pc, false, &tries) == NORN_FAILED)
			return EBUSY;
	}
}

int norn_mutex_timed(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until,
		     const void *pc)
{
	int result = NORN_REAL(pthread_mutex_trylock)(mutex);
	if (result == EBUSY) {
		norn_log_time(&norn_self);
		result = clock == CLOCK_REALTIME
				 ? NORN_REAL(pthread_mutex_timedlock)(mutex, until)
				 : NORN_REAL(pthread_mutex_clocklock)(mutex, clock, until);
	}
	if (result != ETIMEDOUT)
		return taken(mutex, pc, result);
	/* By now it may be free again. */
	result = norn_mutex_try(mutex, pc);
	return result == EBUSY ? ETIMEDOUT : result;
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
	bool logged = norn_log_release(mutex, pc, !checks);
	int result = NORN_REAL(pthread_mutex_unlock)(mutex);
	/* What the thread holds it can give back; if not, it holds it still. */
	if (result != 0 && logged)
		taken(mutex, pc, 0);
	return result;
}

int NORN_WRAPPER(pthread_mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	return norn_mutex_init(mutex, attributes, NORN_PC);
}

int NORN_WRAPPER(pthread_mutex_destroy)(pthread_mutex_t *mutex)
{
	return norn_mutex_destroy(mutex);
}

int NORN_WRAPPER(pthread_mutex_lock)(pthread_mutex_t *mutex)
{
	return norn_mutex_lock(mutex, NORN_PC);
}

int NORN_WRAPPER(pthread_mutex_trylock)(pthread_mutex_t *mutex)
{
	return norn_mutex_try(mutex, NORN_PC);
}

int NORN_WRAPPER(pthread_mutex_timedlock)(pthread_mutex_t *mutex, const struct timespec *until)
{
	return norn_mutex_timed(mutex, CLOCK_REALTIME, until, NORN_PC);
}

int NORN_WRAPPER(pthread_mutex_clocklock)(pthread_mutex_t *mutex, clockid_t clock,
					  const struct timespec *until)
{
	return norn_mutex_timed(mutex, clock, until, NORN_PC);
}

int NORN_WRAPPER(pthread_mutex_unlock)(pthread_mutex_t *mutex)
{
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
	norn_log_release((const void *)lock, NORN_PC, true);
	return NORN_REAL(pthread_spin_unlock)(lock);
}
