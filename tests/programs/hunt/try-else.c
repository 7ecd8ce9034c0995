/* The else of a try-lock forgets what it should have done. */
#include <assert.h>
#include <pthread.h>

static int count, missed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *argument)
{
	(void)argument;
	if (pthread_mutex_trylock(&lock) == 0) {
		count++;
		pthread_mutex_unlock(&lock);
	} else {
#ifdef RIGHT
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
#endif
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(count + missed == 2);
	return 0;
}
