/*
 * A barrier of three has two who come.
 *
 * expect: seen-stuck @barrier @main
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t all;

static void *run(void *unused)
{
	pthread_barrier_wait(&all); /* @barrier */
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_barrier_init(&all, NULL, 3);
	pthread_create(&t, NULL, run, NULL);
	pthread_barrier_wait(&all); /* @main */
	return 0;
}
