/* The bug is in the arm that the first run does not take. */
#include <assert.h>
#include <pthread.h>

static int ready, data = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&lock);
	data = 2;
	ready = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *reader(void *argument)
{
	int seen, value;

	(void)argument;
	pthread_mutex_lock(&lock);
	seen = ready;
	value = data;
	pthread_mutex_unlock(&lock);
	if (!seen) {
#ifdef RIGHT
		assert(value == 1);
#else
		assert(value == 2);
#endif
	}
	return NULL;
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
