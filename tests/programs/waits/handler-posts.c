/*
 * All threads wait, and the handler of a signal posts.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <signal.h>

static sem_t done;

static void on_alarm(int number)
{
	(void)number;
	sem_post(&done);
}

static void *run(void *unused)
{
	while (sem_wait(&done))
		;
	return unused;
}

int main(void)
{
	pthread_t t;

	sem_init(&done, 0, 0);
	signal(SIGALRM, on_alarm);
	pthread_create(&t, NULL, run, NULL);
	alarm(3);
	pthread_join(t, NULL);
	return 0;
}
