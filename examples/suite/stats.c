/* Numbers that workers add to under a lock; the count of calls stands outside it. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stats {
	long sum, calls;
} stats;

static void *work(void *number)
{
	stats.calls++; /* BUG: without the lock */
	pthread_mutex_lock(&lock);
	stats.sum += (long)number;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	long number = argc > 1 ? atol(argv[1]) : 0;
	long workers = number % 3 == 0 ? 2 : 1;
	pthread_t threads[2];

	for (long i = 0; i < workers; i++)
		pthread_create(&threads[i], NULL, work, (void *)number);
	for (long i = 0; i < workers; i++)
		pthread_join(threads[i], NULL);
	return stats.sum == workers * number ? 0 : 1;
}
