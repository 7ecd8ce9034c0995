/*
 * A semaphore hands a value over: the reader waits for the post that follows the write.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t ready;
static int value;

static void *producer(void *unused)
{
	value = 6;
	sem_post(&ready);
	return unused;
}

static void *consumer(void *unused)
{
	sem_wait(&ready);
	printf("%d\n", value);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&ready, 0, 0);
	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
