/*
 * All wait for one who sleeps.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused)
{
	pthread_mutex_lock(&lock);
	sleep(3);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *want(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, run, NULL);
	pthread_create(&u, NULL, want, NULL);
	pthread_join(u, NULL);
	pthread_join(t, NULL);
	return 0;
}
