/*
 * Threads of the program that have regions, with a mutex and with a critical.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>


int x, y;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
#pragma omp parallel num_threads(2)
	{
		pthread_mutex_lock(&mutex);
		x++;
		pthread_mutex_unlock(&mutex);
#pragma omp critical
		y++;
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, other, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", x, y);
	return 0;
}
