/*
 * A message is passed by an atomic flag: release and acquire. No lock, and no bug.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int ready;
static int message;

static void *writer(void *unused)
{
	message = 42;
	atomic_store_explicit(&ready, 1, memory_order_release);
	return unused;
}

static void *reader(void *unused)
{
	while (!atomic_load_explicit(&ready, memory_order_acquire))
		usleep(1000);
	printf("%d\n", message);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
