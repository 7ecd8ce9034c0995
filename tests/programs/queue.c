/*
 * Producers and consumers, with a ring and two semaphores. The statistics are not guarded.
 *
 * expect: race @lost @lost
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define PLACES 4
#define ITEMS 20

static sem_t empty, full;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ring[PLACES], in, out, sum;
int statistics;

static void *producer(void *number)
{
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&empty);
		pthread_mutex_lock(&lock);
		ring[in++ % PLACES] = i + 1;
		pthread_mutex_unlock(&lock);
		sem_post(&full);
	}
	statistics |= 1 << (long)number; /* @lost */
	return NULL;
}

static void *consumer(void *unused)
{
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&full);
		pthread_mutex_lock(&lock);
		sum += ring[out++ % PLACES];
		pthread_mutex_unlock(&lock);
		sem_post(&empty);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[4];

	sem_init(&empty, 0, PLACES);
	sem_init(&full, 0, 0);
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i % 2 ? consumer : producer, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", sum);
	return 0;
}
