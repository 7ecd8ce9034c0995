/*
 * A block of many lines, freed by one and used by others.
 *
 * expect: seen-use-after-free @use @free
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static volatile long *block;

static volatile int freed;

/* It orders nothing, as far as the language goes. */
static void wait_until_freed(void)
{
	while (!freed)
		usleep(1000);
}

static void *run(void *number)
{
	wait_until_freed();
	return (void *)block[6000 + 100 * (long)number]; /* @use */
}

int main(void)
{
	pthread_t threads[3];

	block = malloc(100000);
	for (long i = 0; i < 12000; i++)
		block[i] = i;
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	free((void *)block); /* @free */
	freed = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
