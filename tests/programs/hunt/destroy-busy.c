// SPDX-License-Identifier: MIT
/* A mutex that is destroyed while the thread may hold it; and what the call says to that. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
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

	pthread_create(&thread, NULL, use, NULL);
#ifdef RIGHT
	pthread_join(thread, NULL);
	return pthread_mutex_destroy(&m);
#else
	if (pthread_mutex_destroy(&m) == EBUSY)
		exit(3);
	pthread_join(thread, NULL);
	return 0;
#endif
}
