/*
 * The same with the look under the mutex, and again after each wait: no signal is lost.
 *
 * bugs: race,deadlock,stuck
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there = PTHREAD_COND_INITIALIZER;
static int work;

static void *worker(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!work)
		pthread_cond_wait(&there, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	usleep(100000);
	pthread_mutex_lock(&mutex);
	work = 1;
	pthread_cond_signal(&there);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	puts("done");
	return 0;
}
