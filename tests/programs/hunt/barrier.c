/*
 * Two threads add up in two rounds, with a barrier between: who comes first in a round does not matter.
 * The faulty one looks at the other's sum before the barrier.
 */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t round_ends;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum, seen[2];

static int get(void)
{
	pthread_mutex_lock(&lock);
	int now = sum;
	pthread_mutex_unlock(&lock);
	return now;
}

static void *adds(void *number)
{
	pthread_mutex_lock(&lock);
	sum++;
	pthread_mutex_unlock(&lock);
#ifdef RIGHT
	pthread_barrier_wait(&round_ends);
	seen[number != NULL] = get() == 2;
#else
	seen[number != NULL] = get() == 2;
	pthread_barrier_wait(&round_ends);
#endif
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	pthread_barrier_init(&round_ends, NULL, 2);
	pthread_create(&first, NULL, adds, NULL);
	pthread_create(&second, NULL, adds, &second);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	assert(seen[0] + seen[1] > 0);
#ifdef RIGHT
	assert(seen[0] && seen[1]);
#else
	assert(seen[1]);
#endif
	return 0;
}
