/* Whom the barrier tells that it is the last one. */
#include <pthread.h>

static pthread_barrier_t barrier;
static int last[2];

static void *meet(void *argument)
{
	int *mine = argument;

	*mine = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&a, NULL, meet, &last[0]);
	pthread_create(&b, NULL, meet, &last[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
#ifdef RIGHT
	return last[0] + last[1] != 1;
#else
	return last[1] != 1;
#endif
}
