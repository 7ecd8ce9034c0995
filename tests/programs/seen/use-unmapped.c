/*
 * A block so large that its memory is gone when it is freed: who uses it crashes.
 *
 * expect: seen-crash @use
 * expect: seen-use-after-free @use @free
 * status: 139
 */
#include <pthread.h>
#include <stdlib.h>

static volatile char *block;

static void *run(void *unused)
{
	block[500000] = 1; /* @use */
	return unused;
}

int main(void)
{
	pthread_t thread;

	block = malloc(1 << 20);
	free((void *)block); /* @free */
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
