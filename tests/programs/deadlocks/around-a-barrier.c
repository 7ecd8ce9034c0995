/*
 * Both threads take two mutexes in one order, meet at a barrier, and take them in the other order:
 * the orders are never under way together.
 *
 * scenario: mul-lockorders
 * bugs: race,deadlock,stuck
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, p = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int count;

static void *phases(void *unused)
{
	pthread_mutex_lock(&p);
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&p);

	pthread_barrier_wait(&barrier);

	pthread_mutex_lock(&m);
	pthread_mutex_lock(&p);
	count++;
	pthread_mutex_unlock(&p);
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, phases, NULL);
	phases(NULL);
	pthread_join(thread, NULL);
	printf("%d\n", count);
	return 0;
}
