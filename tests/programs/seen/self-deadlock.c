/*
 * A thread takes a lock that it holds.
 *
 * expect: seen-deadlock @again
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(int n)
{
	pthread_mutex_lock(&lock); /* @again */
	count += n;
	pthread_mutex_unlock(&lock);
}

static void *run(void *unused)
{
	pthread_mutex_lock(&lock);
	add(1);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	return 0;
}
