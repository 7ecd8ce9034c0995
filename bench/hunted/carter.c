/* SPDX-License-Identifier: MIT */
/* Two locks in two orders, if a flag was seen in time. */
#include "lib.h"

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;

static void *one(void *n)
{
	(void)n;
	atomic_store(&flag, 1);
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&lock);
	atomic_store(&flag, 0);
	return NULL;
}

static void *two(void *n)
{
	(void)n;
	if (atomic_load(&flag)) {
		pthread_mutex_lock(&other);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		pthread_mutex_unlock(&other);
	}
	return NULL;
}

int main(void)
{
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	join(2);
	return 0;
}
