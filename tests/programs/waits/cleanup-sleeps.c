/*
 * A thread is cancelled in sem_wait, and what it does on its way out takes long.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t never;

static void clean_up(void *unused)
{
	(void)unused;
	sleep(3);
}

static void *run(void *unused)
{
	pthread_cleanup_push(clean_up, NULL);
	sem_wait(&never);
	pthread_cleanup_pop(0);
	return unused;
}

int main(void)
{
	pthread_t t;

	sem_init(&never, 0, 0);
	pthread_create(&t, NULL, run, NULL);
	usleep(100000);
	pthread_cancel(t);
	pthread_join(t, NULL);
	return 0;
}
