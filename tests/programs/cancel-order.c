/*
 * What was done before pthread_cancel comes before the cleanup of the thread that is cancelled.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static long data, seen;

static void clean(void *unused)
{
	(void)unused;
	seen = data;
}

static void *sleep_on(void *unused)
{
	pthread_cleanup_push(clean, NULL);
	for (;;)
		usleep(1000);
	pthread_cleanup_pop(0);
	return unused;
}

int main(void)
{
	pthread_t thread;
	void *value;

	pthread_create(&thread, NULL, sleep_on, NULL);
	usleep(20000);
	data = 42;
	pthread_cancel(thread);
	pthread_join(thread, &value);
	printf("%ld %d\n", seen, value == PTHREAD_CANCELED);
	return 0;
}
