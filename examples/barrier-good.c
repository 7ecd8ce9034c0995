/*
 * Each of three threads writes its own place, meets the others at a barrier, and reads the place
 * of its neighbour; a second barrier comes before the places are written again.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>

#define THREADS 3

static pthread_barrier_t barrier;
static int place[THREADS], sums[THREADS];

static void *work(void *number)
{
	int i = (int)(long)number;

	for (int round = 1; round <= 3; round++) {
		place[i] = round * i;
		pthread_barrier_wait(&barrier);
		sums[i] += place[(i + 1) % THREADS];
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", sums[0], sums[1], sums[2]);
	return 0;
}
