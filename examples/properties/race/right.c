/*
 * Two variables. One thread writes both and the other one reads both, with the lock.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
	usleep(20000);
	pthread_mutex_lock(&m);
	x = 1;
	y = 2;
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t thread;
	int got;

	pthread_create(&thread, NULL, worker, NULL);
	pthread_mutex_lock(&m);
	got = x;
	got += y;
	pthread_mutex_unlock(&m);
	pthread_join(thread, NULL);
	printf("%d\n", got < 9);
	return 0;
}
