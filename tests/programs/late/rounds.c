/* SPDX-License-Identifier: MIT */
/* Barriers, locks that are shared, recursive or taken once, round after round: right. */
#include <pthread.h>
#include <stdio.h>

#define THREADS 3
#define ROUNDS 50

static pthread_barrier_t barrier;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t again;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int turns, changes, both;

static void begin(void)
{
	both = 1;
}

static void go_round(long number)
{
	pthread_once(&once, begin);
	pthread_barrier_wait(&barrier);
	if (number == 0)
		turns++;
	pthread_barrier_wait(&barrier);
	(void)*(volatile int *)&turns;
	pthread_rwlock_rdlock(&shared);
	(void)*(volatile int *)&changes;
	pthread_rwlock_unlock(&shared);
	if (number == 1) {
		pthread_rwlock_wrlock(&shared);
		changes++;
		pthread_rwlock_unlock(&shared);
	}
	pthread_mutex_lock(&again);
	pthread_mutex_lock(&again);
	both++;
	pthread_mutex_unlock(&again);
	pthread_mutex_unlock(&again);
}

static void *run(void *number)
{
	for (int i = 0; i < ROUNDS; i++)
		go_round((long)number);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	pthread_mutexattr_t recursive;

	pthread_barrier_init(&barrier, NULL, THREADS);
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&again, &recursive);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", turns, changes, both);
	return 0;
}
