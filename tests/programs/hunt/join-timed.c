/* A thread is waited for, but not for long. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static int result;

static int join_soon(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	return pthread_timedjoin_np(thread, NULL, &until);
}

static void *work(void *argument)
{
	(void)argument;
	result = 1;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	if (join_soon(thread) != 0) {
#ifdef RIGHT
		pthread_join(thread, NULL);
#else
		return 1;
#endif
	}
	return result != 1;
}
