/*
 * A block of some pages that nobody has touched before it is freed, and a page of it that is used then.
 *
 * expect: seen-use-after-free @use @free
 */
#include <pthread.h>
#include <stdlib.h>

static volatile char *block;

static void *run(void *unused)
{
	block[15000] = 1; /* @use */
	return unused;
}

int main(void)
{
	pthread_t thread;

	block = malloc(20000);
	free((void *)block); /* @free */
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
