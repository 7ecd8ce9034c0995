/* SPDX-License-Identifier: MIT */
/*
 * A pool of workers that wait for jobs on a condition, as in a server, while main hands them out.
 * The recording begins when all of that is under way: workers wait, a lock is held, a semaphore and
 * a counter have values, memory holds what was written long before.
 *
 *	RACY     jobs that change `hits` without the lock
 */
#include <norn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 3
#define ROUNDS 40

struct job {
	struct job *next;
	int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, statistics = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static struct job *first;
static int left, over, hits;
static int *table; /* on the heap, written before the recording */
static sem_t slots;
static atomic_int phase;

static void work(const struct job *job)
{
#ifdef RACY
	hits += table[job->number % 8];
#else
	pthread_mutex_lock(&statistics);
	hits += table[job->number % 8];
	pthread_mutex_unlock(&statistics);
#endif
}

static void *worker(void *arg)
{
	(void)arg;
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!first && !over)
			pthread_cond_wait(&more, &lock);
		struct job *job = first;
		if (!job) {
			pthread_mutex_unlock(&lock);
			return NULL;
		}
		first = job->next;
		pthread_mutex_unlock(&lock);
		work(job);
		free(job);
		sem_post(&slots);
		pthread_mutex_lock(&lock);
		if (--left == 0)
			pthread_cond_signal(&done);
		pthread_mutex_unlock(&lock);
	}
}

static void round_of_jobs(int number)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 2; i++) {
		struct job *job = malloc(sizeof *job);
		sem_wait(&slots);
		*job = (struct job){first, number + i};
		first = job;
		left++;
		pthread_cond_signal(&more);
	}
	pthread_mutex_unlock(&lock);
#ifdef RACY
	hits += 0;
#endif
	pthread_mutex_lock(&lock);
	while (left)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	pthread_t threads[WORKERS];

	table = malloc(8 * sizeof *table);
	for (int i = 0; i < 8; i++)
		table[i] = i + 1;
	sem_init(&slots, 0, 4);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		if (i == ROUNDS / 2)
			NORN_START();
		atomic_store(&phase, i);
		round_of_jobs(i);
		if (i == ROUNDS / 2 + 3)
			NORN_STOP();
	}
	pthread_mutex_lock(&lock);
	over = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", hits);
	return 0;
}
