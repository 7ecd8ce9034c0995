/* Made at first use, by two at once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int made, object;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *argument)
{
	(void)argument;
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	if (!atomic_load(&object)) {
		atomic_fetch_add(&made, 1);
		atomic_store(&object, 7);
	}
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	(void)lock;
	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(atomic_load(&made) == 1);
	return 0;
}
