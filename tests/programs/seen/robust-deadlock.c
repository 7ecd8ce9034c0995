/*
 * Robust mutexes, which glibc treats as if other processes shared them: no other process has this memory.
 *
 * expect: seen-deadlock @one @two
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a, b;
static pthread_barrier_t both;

static void *one(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&b); /* @one */
	return unused;
}

static void *two(void *unused)
{
	pthread_mutex_lock(&b);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&a); /* @two */
	return unused;
}

int main(void)
{
	pthread_mutexattr_t robust;
	pthread_t first, second;

	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&a, &robust);
	pthread_mutex_init(&b, &robust);
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&first, NULL, one, NULL);
	pthread_create(&second, NULL, two, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
