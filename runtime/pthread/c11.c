/* SPDX-License-Identifier: MIT */
/*
 * <threads.h>. glibc's functions call its pthread functions from inside, past our wrappers; so ours
 * are made of those wrappers. The types are the same.
 */
#include <errno.h>
#include <stdint.h>
#include <threads.h>

#include "runtime/callback.h"
#include "runtime/hooks.h"
#include "runtime/pthread/locks.h"
#include "runtime/libc/ranges.h"
#include "runtime/real.h"
#include "runtime/pthread/sync.h"
#include "runtime/pthread/threads.h"

#define MUTEX(mutex) ((pthread_mutex_t *)(mutex))
#define CONDITION(condition) ((pthread_cond_t *)(condition))

static int to_c11(int error)
{
	switch (error) {
	case 0: return thrd_success;
	case ENOMEM: return thrd_nomem;
	case ETIMEDOUT: return thrd_timedout;
	case EBUSY: return thrd_busy;
	default: return thrd_error;
	}
}

struct start {
	thrd_start_t function;
	void *argument;
};

static void *start_thread(void *argument)
{
	struct start start = *(struct start *)argument;
	NORN_REAL(free)(argument);
	uint64_t key = norn_callback((const void *)start.function, NORN_INT NORN_GETS_POINTER);
	void *result = (void *)(intptr_t)start.function(start.argument);
	uint64_t position = norn_called_back(key);
	/* with its sign, it is another number */
	if (position != NORN_ANY_READ)
		position = __norn_value(norn_library_value(), position, 0, 0);
	norn_log_result(result, position);
	return result;
}

int NORN_WRAPPER(thrd_create)(thrd_t *thread, thrd_start_t function, void *argument)
{
	struct start *start = NORN_REAL(malloc)(sizeof *start);
	if (!start)
		return thrd_nomem;
	*start = (struct start){function, argument};
	int error = norn_thread_create((pthread_t *)thread, NULL, start_thread, start, NORN_PC);
	if (error)
		NORN_REAL(free)(start);
	return error == EAGAIN ? thrd_nomem : to_c11(error);
}

int NORN_WRAPPER(thrd_join)(thrd_t thread, int *result)
{
	void *value = NULL;
	int error = norn_thread_join((pthread_t)thread, &value, result != NULL, NORN_PC);
	int given = (int)(intptr_t)value;
	if (error == 0 && result)
		norn_put_from(NORN_PC, result, &given, sizeof given, norn_self.joined);
	return to_c11(error);
}

_Noreturn void NORN_WRAPPER(thrd_exit)(int result)
{
	norn_log_result((void *)(intptr_t)result, NORN_ANY_READ);
	NORN_REAL(pthread_exit)((void *)(intptr_t)result);
	__builtin_unreachable();
}

int NORN_WRAPPER(mtx_init)(mtx_t *mutex, int type)
{
	pthread_mutexattr_t attributes;
	if (type & ~(mtx_plain | mtx_recursive | mtx_timed))
		return thrd_error;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE
								    : PTHREAD_MUTEX_NORMAL);
	int error = norn_mutex_init(MUTEX(mutex), &attributes, NORN_PC);
	pthread_mutexattr_destroy(&attributes);
	return to_c11(error);
}

void NORN_WRAPPER(mtx_destroy)(mtx_t *mutex)
{
	norn_mutex_destroy(MUTEX(mutex), NORN_PC);
}

int NORN_WRAPPER(mtx_lock)(mtx_t *mutex)
{
	return to_c11(norn_mutex_lock(MUTEX(mutex), NORN_PC));
}

int NORN_WRAPPER(mtx_trylock)(mtx_t *mutex)
{
	return to_c11(norn_mutex_try(MUTEX(mutex), NORN_PC));
}

int NORN_WRAPPER(mtx_timedlock)(mtx_t *restrict mutex, const struct timespec *restrict until)
{
	return to_c11(norn_mutex_timed(MUTEX(mutex), CLOCK_REALTIME, until, NORN_PC));
}

int NORN_WRAPPER(mtx_unlock)(mtx_t *mutex)
{
	return to_c11(norn_mutex_unlock(MUTEX(mutex), NORN_PC));
}

int NORN_WRAPPER(cnd_init)(cnd_t *condition)
{
	return to_c11(norn_cond_init(CONDITION(condition), NULL, NORN_PC));
}

void NORN_WRAPPER(cnd_destroy)(cnd_t *condition)
{
	norn_cond_destroy(CONDITION(condition));
}

int NORN_WRAPPER(cnd_wait)(cnd_t *condition, mtx_t *mutex)
{
	return to_c11(norn_cond_wait(CONDITION(condition), MUTEX(mutex), NULL, NORN_PC));
}

int NORN_WRAPPER(cnd_timedwait)(cnd_t *restrict condition, mtx_t *restrict mutex,
				const struct timespec *restrict until)
{
	return to_c11(norn_cond_wait(CONDITION(condition), MUTEX(mutex), until, NORN_PC));
}

int NORN_WRAPPER(cnd_signal)(cnd_t *condition)
{
	return to_c11(norn_cond_signal(CONDITION(condition), NORN_PC));
}

int NORN_WRAPPER(cnd_broadcast)(cnd_t *condition)
{
	return to_c11(norn_cond_broadcast(CONDITION(condition), NORN_PC));
}

void NORN_WRAPPER(call_once)(once_flag *control, void (*function)(void))
{
	norn_once((pthread_once_t *)control, function, NORN_PC);
}
