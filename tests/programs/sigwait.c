/*
 * A thread waits for a signal that another sends, after it has written; a handler does the same.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static int message, handled;
static sem_t done;

static void on_signal(int number)
{
	handled = message + number - SIGUSR2;
	sem_post(&done);
}

static void *receiver(void *unused)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &number);
	return (void *)(long)(message + (unused != NULL));
}

static void *idle(void *unused)
{
	sem_wait(&done);
	return unused;
}

int main(void)
{
	pthread_t thread;
	sigset_t set;
	void *got;

	sem_init(&done, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, receiver, NULL);
	message = 5;
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, &got);
	signal(SIGUSR2, on_signal);
	pthread_create(&thread, NULL, idle, NULL);
	message = 6;
	pthread_kill(thread, SIGUSR2);
	pthread_join(thread, NULL);
	printf("%ld %d\n", (long)got, handled);
	return 0;
}
