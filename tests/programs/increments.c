/*
 * Eight threads increment the places of one array without a lock: as racy as can be. What comes out
 * differs from run to run, and every recorded value has to be right.
 *
 * output: varies
 * expect: race @add @add
 */
#include <pthread.h>
#include <stdio.h>

#define THREADS 8
#define PLACES 16

int places[PLACES];

static void *work(void *unused)
{
	for (int i = 0; i < 300; i++)
		places[i % PLACES]++; /* @add */
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	int sum = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < PLACES; i++)
		sum += places[i];
	printf("%d\n", sum);
	return 0;
}
