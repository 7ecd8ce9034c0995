/*
 * One thread waits in sigwait for an alarm, the others for it.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <signal.h>

static sem_t done;

static void *run(void *set)
{
	int number;

	sigwait(set, &number);
	sem_post(&done);
	return NULL;
}

int main(void)
{
	pthread_t t;
	sigset_t set;

	sem_init(&done, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, run, &set);
	alarm(3);
	sem_wait(&done);
	pthread_join(t, NULL);
	return 0;
}
