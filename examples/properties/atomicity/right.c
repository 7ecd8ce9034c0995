/*
 * A counter that is read in one atomic step and written in another, with a lock around both.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

atomic_int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void increment(void)
{
	int temp = x;

	temp++;
	x = temp;
}

static void *worker(void *unused)
{
	usleep(20000);
	pthread_mutex_lock(&m);
	increment();
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	pthread_mutex_lock(&m);
	increment();
	pthread_mutex_unlock(&m);
	pthread_join(thread, NULL);
	printf("%d\n", x);
	return 0;
}
