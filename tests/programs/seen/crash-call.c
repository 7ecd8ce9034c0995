/*
 * A call through a null pointer.
 *
 * status: 139
 * expect: seen-crash @call
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static void (*volatile function)(void);

static void *run(void *unused)
{
	function(); /* @call */
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	return 0;
}
