/*
 * One semaphore for both directions: main says that the first task is done, waits until the
 * second is, and may take its own word for that of the worker.
 *
 * scenario: sem-deadlock
 * bugs: race,deadlock,stuck
 * expect: stuck @wait @join
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t done;

static void *worker(void *unused)
{
	sem_wait(&done); /* @wait */
	puts("second");
	sem_post(&done);
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&done, 0, 0);
	pthread_create(&thread, NULL, worker, NULL);
	puts("first");
	sem_post(&done);
	usleep(100000);
	sem_wait(&done);
	puts("third");
	pthread_join(thread, NULL); /* @join */
	return 0;
}
