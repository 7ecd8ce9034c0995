/* THREADS COUNT: a counter, protected by a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MOST 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter, rounds;

static void *work(void *unused)
{
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 4;
	pthread_t workers[THREADS_MOST];

	rounds = argc > 2 ? atol(argv[2]) : 1000;
	if (threads > THREADS_MOST)
		return 2;
	for (int i = 0; i < threads; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(workers[i], NULL);
	printf("%ld\n", counter);
	return 0;
}
