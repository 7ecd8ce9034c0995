/*
 * A timer starts a thread of libc's own, which posts.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>

static sem_t done;

static void on_time(union sigval unused)
{
	(void)unused;
	sem_post(&done);
}

static void *run(void *unused)
{
	sem_wait(&done);
	return unused;
}

int main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time};
	struct itimerspec when = {.it_value = {.tv_sec = 3}};
	timer_t timer;
	pthread_t t;

	sem_init(&done, 0, 0);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &when, NULL);
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	return 0;
}
