/* PAIRS ITEMS: producers and consumers, as many of each, and a ring between them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 64
#define PAIRS_MOST 32

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static long ring[PLACES];
static unsigned in, out;
static long items, sum;

static void *produce(void *unused)
{
	for (long i = 0; i < items; i++) {
		pthread_mutex_lock(&lock);
		while (in - out == PLACES)
			pthread_cond_wait(&emptied, &lock);
		ring[in++ % PLACES] = i;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *consume(void *unused)
{
	for (long i = 0; i < items; i++) {
		pthread_mutex_lock(&lock);
		while (in == out)
			pthread_cond_wait(&filled, &lock);
		sum += ring[out++ % PLACES];
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(int argc, char **argv)
{
	int pairs = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t workers[2 * PAIRS_MOST];

	items = argc > 2 ? atol(argv[2]) : 1000;
	if (pairs > PAIRS_MOST)
		return 2;
	for (int i = 0; i < 2 * pairs; i++)
		pthread_create(&workers[i], NULL, i % 2 ? consume : produce, NULL);
	for (int i = 0; i < 2 * pairs; i++)
		pthread_join(workers[i], NULL);
	printf("%ld\n", sum);
	return 0;
}
