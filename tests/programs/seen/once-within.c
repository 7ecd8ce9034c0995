/*
 * What is done once calls for itself.
 *
 * expect: seen-stuck @within
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;

static void init(void)
{
	pthread_once(&control, init); /* @within */
}

int main(void)
{
	pthread_once(&control, init);
	return 0;
}
