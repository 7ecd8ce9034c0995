/*
 * A thread is joined by one that holds the lock it wants.
 *
 * expect: seen-stuck @lock @join
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused)
{
	pthread_mutex_lock(&lock); /* @lock */
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&lock);
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL); /* @join */
	pthread_mutex_unlock(&lock);
	return 0;
}
