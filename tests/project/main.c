/* A small program of several files, for build systems: prints the same each time. */
#include "counter.h"

#include <pthread.h>
#include <stdio.h>

static void *add(void *n)
{
	for (int i = 0; i < 100; i++)
		counter_add(*(int *)n);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int steps[2] = {1, 2};

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, &steps[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%s %d", greeting(), counter_value());
	printf(" %s %d\n", greeting(), longest_word("a bb ccc"));
	return 0;
}
