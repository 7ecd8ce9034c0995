/*
 * A robust mutex that was given up is asked for again and again, in all ways but by trylock, with
 * which glibc itself keeps it: everyone learns that nobody can have it, and nobody waits.
 *
 * expect: nothing
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock;

static void *dies(void *unused)
{
	pthread_mutex_lock(&lock);
	return unused;
}

static void *asks(void *unused)
{
	struct timespec soon;
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec += 1000;
	for (int i = 0; i < 3; i++)
		if (pthread_mutex_lock(&lock) != ENOTRECOVERABLE ||
		    pthread_mutex_timedlock(&lock, &soon) != ENOTRECOVERABLE)
			printf("wrong\n");
	return unused;
}

int main(void)
{
	pthread_mutexattr_t robust;
	pthread_t a, b;

	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &robust);
	pthread_create(&a, NULL, dies, NULL);
	pthread_join(a, NULL);
	if (pthread_mutex_lock(&lock) == EOWNERDEAD)
		pthread_mutex_unlock(&lock);
	pthread_create(&a, NULL, asks, NULL);
	pthread_create(&b, NULL, asks, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("done\n");
	return 0;
}
