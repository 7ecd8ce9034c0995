/*
 * A lock that notices that the thread has it already; nobody waits.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>

static pthread_mutex_t lock;

static void *run(void *unused)
{
	pthread_mutex_lock(&lock);
	if (pthread_mutex_lock(&lock) != EDEADLK)
		abort();
	sleep(3);
	_exit(0);
	return unused;
}

int main(void)
{
	pthread_mutexattr_t checks;
	pthread_t t;

	pthread_mutexattr_init(&checks);
	pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&lock, &checks);
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	return 0;
}
