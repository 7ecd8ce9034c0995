/* A flag that is spun on; behind it, a value that may not be there yet. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, value;

static void *set(void *argument)
{
	(void)argument;
#ifdef RIGHT
	atomic_store(&value, 1);
	atomic_store(&flag, 1);
#else
	atomic_store(&flag, 1);
	atomic_store(&value, 1);
#endif
	return NULL;
}

int main(void)
{
	pthread_t a;

	pthread_create(&a, NULL, set, NULL);
	while (!atomic_load(&flag))
		;
	assert(atomic_load(&value));
	pthread_join(a, NULL);
	return 0;
}
