/*
 * Threads that libc starts, for a timer, a message, and a write that is over: what was done before
 * they were asked for comes before what they do. What main does afterwards races with them.
 *
 * expect: race @late @notified
 * output: varies
 */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static sem_t done;
static int early;
int late;

static void notified(union sigval value)
{
	early += value.sival_int;
	sem_post(&done);
}

static void races(union sigval value)
{
	late = value.sival_int; /* @notified */
	sem_post(&done);
}

static struct sigevent by(void (*function)(union sigval))
{
	return (struct sigevent){.sigev_notify = SIGEV_THREAD,
				 .sigev_value.sival_int = 2,
				 .sigev_notify_function = function};
}

static void by_timer(void (*function)(union sigval), int data)
{
	struct sigevent how = by(function);
	struct itimerspec soon = {.it_value.tv_nsec = 1000000};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &how, &timer))
		abort();
	early = data;
	timer_settime(timer, 0, &soon, NULL);
}

static void by_message(void)
{
	struct sigevent how = by(notified);
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[32];

	snprintf(name, sizeof name, "/norn-notified-%d", (int)getpid());
	mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
	if (queue == (mqd_t)-1) { /* there may be none here */
		sem_post(&done);
		return;
	}
	mq_unlink(name);
	if (mq_notify(queue, &how))
		abort();
	early = 3;
	mq_send(queue, "x", 1, 0);
}

static void by_aio(void)
{
	static struct aiocb block;
	char pattern[] = "/tmp/norn-notified.XXXXXX";

	block.aio_fildes = mkstemp(pattern);
	unlink(pattern);
	block.aio_buf = "x";
	block.aio_nbytes = 1;
	block.aio_sigevent = by(notified);
	early = 4;
	if (aio_write(&block))
		abort();
}

static void wait_for_it(void)
{
	while (sem_wait(&done))
		;
}

int main(void)
{
	sem_init(&done, 0, 0);
	by_timer(notified, 1);
	wait_for_it();
	by_message();
	wait_for_it();
	by_aio();
	wait_for_it();
	by_timer(races, 5);
	late = 1; /* @late */
	wait_for_it();
	return early == 5 ? 0 : 1;
}
