/* Locks of all sorts, and all that can be done to them. */
#include "tests/runtime/program.h"

#include <threads.h>

#define THREADS 6
#define ROUNDS 3000

static long counter;
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive, checking, robust;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t mtx;

static pthread_mutex_t *init(pthread_mutex_t *mutex, int type, int robustness)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setrobust(&attributes, robustness);
	WANT(pthread_mutex_init(mutex, &attributes) == 0);
	return mutex;
}

static void in_turn(int i)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 1), soon2 = in_ms(CLOCK_MONOTONIC, 1);
	switch (i % 11) {
	case 0:
		WANT(pthread_mutex_lock(&plain) == 0);
		add(&counter, 1);
		WANT(pthread_mutex_unlock(&plain) == 0);
		break;
	case 1:
		if (pthread_mutex_trylock(&plain) == 0) {
			add(&counter, 1);
			WANT(pthread_mutex_trylock(&plain) == EBUSY);
			WANT(pthread_mutex_unlock(&plain) == 0);
		}
		break;
	case 2:
		if (pthread_mutex_timedlock(&plain, &soon) == 0) {
			add(&counter, 1);
			WANT(pthread_mutex_unlock(&plain) == 0);
		}
		break;
	case 3:
		if (pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &soon2) == 0) {
			add(&counter, 1);
			WANT(pthread_mutex_unlock(&plain) == 0);
		}
		break;
	case 4:
		WANT(pthread_mutex_lock(&recursive) == 0);
		WANT(pthread_mutex_trylock(&recursive) == 0);
		WANT(pthread_mutex_unlock(&recursive) == 0);
		WANT(pthread_mutex_unlock(&recursive) == 0);
		WANT(pthread_mutex_unlock(&recursive) == EPERM);
		break;
	case 5:
		WANT(pthread_mutex_lock(&checking) == 0);
		WANT(pthread_mutex_lock(&checking) == EDEADLK);
		WANT(pthread_mutex_unlock(&checking) == 0);
		WANT(pthread_mutex_unlock(&checking) == EPERM);
		break;
	case 6:
		WANT(pthread_rwlock_rdlock(&rwlock) == 0);
		WANT(pthread_rwlock_tryrdlock(&rwlock) == 0);
		WANT(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
		WANT(pthread_rwlock_unlock(&rwlock) == 0);
		WANT(pthread_rwlock_unlock(&rwlock) == 0);
		break;
	case 7:
		WANT(pthread_rwlock_wrlock(&rwlock) == 0);
		WANT(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
		WANT(pthread_rwlock_unlock(&rwlock) == 0);
		break;
	case 8:
		if (pthread_rwlock_tryrdlock(&rwlock) == 0)
			WANT(pthread_rwlock_unlock(&rwlock) == 0);
		if (pthread_rwlock_trywrlock(&rwlock) == 0)
			WANT(pthread_rwlock_unlock(&rwlock) == 0);
		if (pthread_rwlock_timedrdlock(&rwlock, &soon) == 0)
			WANT(pthread_rwlock_unlock(&rwlock) == 0);
		if (pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &soon2) == 0)
			WANT(pthread_rwlock_unlock(&rwlock) == 0);
		break;
	case 9:
		if (pthread_spin_trylock(&spin) != 0)
			WANT(pthread_spin_lock(&spin) == 0);
		add(&counter, 1);
		WANT(pthread_spin_unlock(&spin) == 0);
		break;
	case 10:
		if (mtx_trylock(&mtx) != thrd_success)
			WANT(mtx_lock(&mtx) == thrd_success);
		WANT(mtx_trylock(&mtx) == thrd_busy);
		WANT(mtx_unlock(&mtx) == thrd_success);
		break;
	}
}

static void *work(void *argument)
{
	for (int i = 0; i < ROUNDS; i++)
		in_turn(i + (int)(long)argument);
	return NULL;
}

static void *die_with_it(void *argument)
{
	WANT(pthread_mutex_lock(&robust) == 0);
	return argument;
}

int main(void)
{
	pthread_t threads[THREADS], dead;
	init(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
	init(&checking, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
	init(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	WANT(mtx_init(&mtx, mtx_plain) == thrd_success);
	for (long i = 0; i < THREADS; i++)
		WANT(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
	for (int i = 0; i < THREADS; i++)
		WANT(pthread_join(threads[i], NULL) == 0);

	for (int i = 0; i < 2; i++) {
		WANT(pthread_create(&dead, NULL, die_with_it, NULL) == 0);
		WANT(pthread_join(dead, NULL) == 0);
		WANT(pthread_mutex_lock(&robust) == EOWNERDEAD);
		WANT(pthread_mutex_consistent(&robust) == 0);
		WANT(pthread_mutex_unlock(&robust) == 0);
	}
	/* A mutex made anew where one was left locked. */
	WANT(pthread_mutex_lock(&plain) == 0);
	WANT(pthread_mutex_unlock(&plain) == 0);
	WANT(pthread_mutex_destroy(&plain) == 0);
	WANT(pthread_mutex_init(&plain, NULL) == 0);
	WANT(pthread_mutex_lock(&plain) == 0);
	WANT(pthread_mutex_unlock(&plain) == 0);
	return 0;
}
