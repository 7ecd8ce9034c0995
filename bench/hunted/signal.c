/* SPDX-License-Identifier: MIT */
/* A signal that may come before the wait. */
#include "lib.h"

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *waiter(void *n)
{
	(void)n;
	int seen = get(&done);
	pthread_mutex_lock(&lock);
	if (!seen)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *signaller(void *n)
{
	(void)n;
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_create(&threads[0], NULL, signaller, NULL);
	pthread_create(&threads[1], NULL, waiter, NULL);
	join(2);
	return 0;
}
