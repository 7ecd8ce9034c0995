/* Said to be ready before it is. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready, value;

static void *produce(void *argument)
{
	(void)argument;
#ifdef RIGHT
	atomic_store(&value, 42);
	atomic_store(&ready, 1);
#else
	atomic_store(&ready, 1);
	atomic_store(&value, 42);
#endif
	return NULL;
}

static void *consume(void *argument)
{
	(void)argument;
	if (atomic_load(&ready))
		assert(atomic_load(&value) == 42);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, consume, NULL);
	pthread_create(&b, NULL, produce, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
