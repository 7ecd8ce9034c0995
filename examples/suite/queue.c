/* A queue with a lock and a condition, used as it should be. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static long items[32], count;

static void *produce(void *number)
{
	for (long i = 0; i < (long)number; i++) {
		pthread_mutex_lock(&lock);
		items[count++] = i;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long number = argc > 1 ? atol(argv[1]) % 32 : 0, sum = 0;
	pthread_t producer;

	pthread_create(&producer, NULL, produce, (void *)number);
	for (long i = 0; i < number; i++) {
		pthread_mutex_lock(&lock);
		while (!count)
			pthread_cond_wait(&filled, &lock);
		sum += items[--count];
		pthread_mutex_unlock(&lock);
	}
	pthread_join(producer, NULL);
	return sum == number * (number - 1) / 2 ? 0 : 1;
}
