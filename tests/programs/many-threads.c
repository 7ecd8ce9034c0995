/*
 * 150 threads, some joined, some detached, one after the other and at once.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define JOINED 100
#define DETACHED 50

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t over;
static int count;

static void *work(void *detached)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	if (detached)
		sem_post(&over);
	return NULL;
}

int main(void)
{
	pthread_t threads[JOINED];
	pthread_attr_t attributes;

	sem_init(&over, 0, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	for (int i = 0; i < JOINED; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < DETACHED; i++) {
		pthread_t thread;

		pthread_create(&thread, &attributes, work, &count);
		if (i % 2)
			sem_wait(&over);
	}
	for (int i = 0; i < DETACHED / 2; i++)
		sem_wait(&over);
	for (int i = 0; i < JOINED; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", count);
	return 0;
}
