/*
 * A division by zero.
 *
 * status: 136
 * expect: seen-crash @divide
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int zero;

static void *run(void *unused)
{
	zero = 7 / zero; /* @divide */
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	return 0;
}
