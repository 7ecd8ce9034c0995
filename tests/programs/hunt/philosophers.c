/* Each takes its left fork first, unless the other one was seen to eat. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int eats;
static pthread_mutex_t forks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *argument)
{
	int me = argument != NULL, first = me;

#ifdef RIGHT
	first = 0;
#else
	if (atomic_load(&eats))
		first = 0;
#endif
	atomic_store(&eats, 1);
	pthread_mutex_lock(&forks[first]);
	pthread_mutex_lock(&forks[1 - first]);
	pthread_mutex_unlock(&forks[1 - first]);
	pthread_mutex_unlock(&forks[first]);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, dine, NULL);
	pthread_create(&b, NULL, dine, &a);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
