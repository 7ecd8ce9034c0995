/*
 * As the mutex is robust, so is what it guards guarded; what it does not guard races.
 *
 * expect: race @write @read
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static int guarded, bare;

static void *owner(void *unused)
{
	bare = 1; /* @write */
	pthread_mutex_lock(&lock);
	guarded = 1;
	return unused;
}

static void *next(void *unused)
{
	int seen = bare; /* @read */

	if (pthread_mutex_lock(&lock) == EOWNERDEAD)
		pthread_mutex_consistent(&lock);
	guarded++;
	pthread_mutex_unlock(&lock);
	return seen ? unused : NULL;
}

int main(void)
{
	pthread_mutexattr_t robust;
	pthread_t a, b;

	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &robust);
	pthread_create(&a, NULL, next, NULL);
	pthread_create(&b, NULL, owner, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", guarded >= 1);
	return 0;
}
