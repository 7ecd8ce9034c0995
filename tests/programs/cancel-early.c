/*
 * Threads that are cancelled before they have begun, mostly: what was done before pthread_cancel still
 * comes before their cleanup.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static long data[20], seen[20];

static void clean(void *number)
{
	seen[(long)number] = data[(long)number];
}

static void *sleep_on(void *number)
{
	pthread_cleanup_push(clean, number);
	for (;;)
		usleep(1000);
	pthread_cleanup_pop(0);
	return number;
}

int main(void)
{
	for (long i = 0; i < 20; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, sleep_on, (void *)i);
		data[i] = 2;
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	long sum = 0;

	for (int i = 0; i < 20; i++)
		sum += seen[i];
	printf("%ld\n", sum);
	return 0;
}
