/*
 * Freed first, used by another thread later, read and written; and once more by the same.
 *
 * expect: seen-use-after-free @read @free
 * expect: seen-use-after-free @write @free
 * expect: seen-use-after-free @own @free
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

struct item {
	long key, value, state;
};

static struct item *item;
static volatile long sum;

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
	sum += item->key; /* @read */
	item->value = 2; /* @write */
	return unused;
}

int main(void)
{
	pthread_t t;

	item = malloc(sizeof(*item));
	item->key = item->value = item->state = 1;
	pthread_create(&t, NULL, run, NULL);
	free(item); /* @free */
	freed = 1;
	pthread_join(t, NULL);
	sum += *(volatile long *)&item->state; /* @own */
	return 0;
}
