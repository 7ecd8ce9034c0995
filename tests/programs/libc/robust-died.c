/*
 * A robust mutex whose owner died, not joined yet, is taken by the next: one lock all the time. Who
 * took it before the death, by a lock that returned 0, did not find it broken.
 *
 * expect: nothing
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock;
static int balance, broken, mended;

static void *owner(void *unused)
{
	pthread_mutex_lock(&lock);
	balance = 1;
	broken = 1;
	return unused; /* it is not given back */
}

static int take(int how)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	if (how == 0)
		return pthread_mutex_lock(&lock);
	if (how == 1)
		return pthread_mutex_timedlock(&lock, &until);
	for (;;) {
		int r = pthread_mutex_trylock(&lock);
		if (r != EBUSY)
			return r;
	}
}

static void *next(void *how)
{
	for (;;) {
		int r = take((int)(long)how);
		if (r == EOWNERDEAD) {
			balance += broken; /* nobody else is in here */
			broken = 0;
			mended = 1;
			pthread_mutex_consistent(&lock);
		}
		int done = mended;
		balance++;
		pthread_mutex_unlock(&lock);
		if (done)
			return NULL;
	}
}

int main(void)
{
	pthread_mutexattr_t robust;
	pthread_t dies, threads[3];

	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &robust);
	pthread_create(&dies, NULL, owner, NULL);
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, next, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pthread_join(dies, NULL);
	printf("%d %d\n", balance > 3, broken);
	return 0;
}
