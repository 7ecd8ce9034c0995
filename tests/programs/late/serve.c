/* SPDX-License-Identifier: MIT */
/* Goes on until it is told to end, by SIGTERM; two threads count, with a lock or (RACY) without. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;
static int count;

static void end(int number)
{
	(void)number;
	over = 1;
}

static void *run(void *arg)
{
	(void)arg;
	while (!over) {
#ifdef RACY
		count++;
#endif
		pthread_mutex_lock(&lock);
#ifndef RACY
		count++;
#endif
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	signal(SIGTERM, end);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("over\n");
	return 0;
}
