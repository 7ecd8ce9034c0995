/*
 * A counter that is read in one atomic step and written in another. There is no data race; but what
 * another thread adds in between is lost.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

atomic_int x;

static void increment(void)
{
	int temp = x;

	temp++;
	x = temp;
}

static void *worker(void *unused)
{
	usleep(20000);
	increment();
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	increment();
	pthread_join(thread, NULL);
	printf("%d\n", x);
	return 0;
}
