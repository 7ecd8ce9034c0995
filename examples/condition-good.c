/*
 * A queue of one place with a mutex and two conditions, as they should be used.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int place, full;

static void *producer(void *unused)
{
	for (int i = 1; i <= 5; i++) {
		pthread_mutex_lock(&lock);
		while (full)
			pthread_cond_wait(&emptied, &lock);
		place = i;
		full = 1;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *consumer(void *sum)
{
	for (int i = 1; i <= 5; i++) {
		pthread_mutex_lock(&lock);
		while (!full)
			pthread_cond_wait(&filled, &lock);
		*(int *)sum += place;
		full = 0;
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int sum = 0;

	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, &sum);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", sum);
	return 0;
}
