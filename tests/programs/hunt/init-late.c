// SPDX-License-Identifier: MIT
/* A mutex that is initialized by one thread and used by another, in any order. */
#include <pthread.h>

static pthread_mutex_t m;
static int used;

static void *use(void *unused)
{
	pthread_mutex_lock(&m);
	used++;
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t thread;

#ifdef RIGHT
	pthread_mutex_init(&m, NULL);
#endif
	pthread_create(&thread, NULL, use, NULL);
#ifndef RIGHT
	pthread_mutex_init(&m, NULL);
#endif
	pthread_join(thread, NULL);
	pthread_mutex_destroy(&m);
	pthread_mutex_init(&m, NULL);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return 0;
}
