/*
 * A function that calls itself until there is no stack left: its handler has another one.
 *
 * expect: seen-crash @deep
 * status: 139
 */
#include <pthread.h>
#include <stddef.h>

/* On one line: it overflows anywhere. */
static int deeper(volatile int *a, int n) { volatile int b[100] = {*a}; return deeper(b, n + 1) + b[n % 100]; } /* @deep */

static void *run(void *unused)
{
	volatile int none[100] = {0};

	return deeper(none, 0) ? unused : NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
