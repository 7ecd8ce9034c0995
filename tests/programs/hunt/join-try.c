/* Who asks for a thread's end and does not wait takes what is there for the result. */
#define _GNU_SOURCE
#include <pthread.h>

static int result;

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
	if (pthread_tryjoin_np(thread, NULL) == 0)
#ifdef RIGHT
		return result != 1;
#else
		return 1;
#endif
	pthread_join(thread, NULL);
	return 0;
}
