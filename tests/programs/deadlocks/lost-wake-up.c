/*
 * The worker looks whether there is work without the mutex, then waits: a signal that comes in
 * between wakes nobody.
 *
 * bugs: race,deadlock,stuck
 * expect: stuck @wait @join
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there = PTHREAD_COND_INITIALIZER;
static atomic_int work;

static void *worker(void *unused)
{
	if (!atomic_load(&work)) {
		pthread_mutex_lock(&mutex);
		pthread_cond_wait(&there, &mutex); /* @wait */
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	usleep(100000);
	pthread_mutex_lock(&mutex);
	atomic_store(&work, 1);
	pthread_cond_signal(&there);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL); /* @join */
	puts("done");
	return 0;
}
