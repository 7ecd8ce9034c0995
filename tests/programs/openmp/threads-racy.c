/*
 * A thread of the program and a region.
 *
 * expect: race @a @b
 */
#include <pthread.h>
#include <stdio.h>


int x;

static void *other(void *unused)
{
	x = 1; /* @a */
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
#pragma omp parallel
#pragma omp masked
	x = 2; /* @b */
	pthread_join(thread, NULL);
	printf("%d\n", x > 0);
	return 0;
}
