/*
 * A lock in memory that was freed.
 *
 * expect: seen-use-after-free @lock @free
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t *lock;

static void *run(void *unused)
{
	usleep(50000);
	pthread_mutex_trylock(lock); /* @lock */
	return unused;
}

int main(void)
{
	pthread_t t;

	lock = calloc(4, sizeof(*lock));
	lock += 2;
	pthread_mutex_init(lock, NULL);
	pthread_create(&t, NULL, run, NULL);
	free(lock - 2); /* @free */
	pthread_join(t, NULL);
	return 0;
}
