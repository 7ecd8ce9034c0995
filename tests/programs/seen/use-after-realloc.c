/*
 * A block that realloc has moved, used through the old pointer by a library function; one that
 * nobody had touched before.
 *
 * expect: seen-use-after-free @old @realloc
 * expect: seen-use-after-free @use @free
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

static char *volatile text, *volatile old;

static void *run(void *unused)
{
	old = text;
	text = realloc(text, 100000); /* @realloc */
	return unused;
}

int main(void)
{
	pthread_t t;
	volatile char *bare = malloc(40);

	text = malloc(20);
	strcpy(text, "hello");
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	memset(old, 'x', 4); /* @old */
	free((void *)bare); /* @free */
	bare[20] = 1; /* @use */
	return 0;
}
