/*
 * Three threads join each other in a circle.
 *
 * expect: seen-stuck @join @join @join
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_t threads[3];
static pthread_barrier_t all;

static void *run(void *next)
{
	pthread_barrier_wait(&all);
	pthread_join(*(pthread_t *)next, NULL); /* @join */
	return NULL;
}

int main(void)
{
	pthread_barrier_init(&all, NULL, 4);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, &threads[(i + 1) % 3]);
	pthread_barrier_wait(&all);
	pthread_exit(NULL);
}
