/*
 * Recursive and error-checking mutexes, and one that is robust: what is called inside takes the
 * lock again.
 *
 * expect: nothing
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t recursive, checking, robust;
static int count, checked, rescued;

static void add(int depth)
{
	pthread_mutex_lock(&recursive);
	count++;
	if (depth)
		add(depth - 1);
	pthread_mutex_unlock(&recursive);
}

static void *work(void *unused)
{
	for (int i = 0; i < 10; i++)
		add(3);
	pthread_mutex_lock(&checking);
	checked += pthread_mutex_lock(&checking) == EDEADLK;
	pthread_mutex_unlock(&checking);
	return unused;
}

static void *dies_holding(void *unused)
{
	pthread_mutex_lock(&robust);
	rescued = 1;
	return unused;
}

static void make(pthread_mutex_t *mutex, int type, int robustness)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setrobust(&attributes, robustness);
	pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

int main(void)
{
	pthread_t a, b;

	make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
	make(&checking, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
	make(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_create(&a, NULL, dies_holding, NULL);
	pthread_join(a, NULL);
	if (pthread_mutex_lock(&robust) == EOWNERDEAD) {
		pthread_mutex_consistent(&robust);
		rescued++;
		pthread_mutex_unlock(&robust);
	}
	printf("%d %d %d\n", count, checked, rescued);
	return 0;
}
