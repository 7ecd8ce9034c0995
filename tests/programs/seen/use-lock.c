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

static volatile int freed;

/* It orders nothing, as far as the language goes. */
static void wait_until_freed(void)
{
	while (!freed)
		usleep(1000);
}

static void *run(void *unused)
{
	wait_until_freed();
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
	freed = 1;
	pthread_join(t, NULL);
	return 0;
}
