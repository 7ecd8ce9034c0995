/*
 * An assertion fails in a thread.
 *
 * status: 134
 * expect: seen-crash @assert
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#undef NDEBUG
#include <assert.h>

static volatile int value;

static void *run(void *unused)
{
	assert(value == 1); /* @assert */
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	return 0;
}
