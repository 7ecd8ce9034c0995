/* SPDX-License-Identifier: MIT */
/* What the programs of this directory share: threads by number, and a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define THREADS_MOST 64

static pthread_t threads[THREADS_MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline void start(int n, void *(*run)(void *))
{
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run, (void *)(long)i);
}

static inline void join(int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static inline int get(int *from)
{
	pthread_mutex_lock(&lock);
	int value = *from;
	pthread_mutex_unlock(&lock);
	return value;
}

static inline void set(int *to, int value)
{
	pthread_mutex_lock(&lock);
	*to = value;
	pthread_mutex_unlock(&lock);
}
