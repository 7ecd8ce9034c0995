/*
 * The worker takes its turn with the mutex before the barrier, main holds it across the barrier: if
 * main is first, the worker never gets there.
 *
 * scenario: barrier-deadlock
 * bugs: race,deadlock,stuck
 * expect: stuck @worker @main
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int count;

static void *worker(void *unused)
{
	pthread_mutex_lock(&mutex); /* @worker */
	count++;
	pthread_mutex_unlock(&mutex);
	pthread_barrier_wait(&barrier);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, worker, NULL);
	usleep(100000);
	pthread_mutex_lock(&mutex);
	count++;
	pthread_barrier_wait(&barrier); /* @main */
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	printf("%d\n", count);
	return 0;
}
