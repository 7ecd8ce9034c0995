/*
 * The signal comes before the wait, which does not look whether it still has to wait.
 *
 * expect: seen-stuck @wait @join
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static volatile int signalled;

static void *wait(void *unused)
{
	while (!signalled)
		usleep(1000);
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&ready, &lock); /* @wait */
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait, NULL);
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&lock);
	signalled = 1;
	pthread_join(t, NULL); /* @join */
	return 0;
}
