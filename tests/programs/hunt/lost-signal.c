/* A signal that comes before the wait is lost, and nobody looks before waiting. */
#include <pthread.h>
#include <stdbool.h>

static bool done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *waiter(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&lock);
#ifdef RIGHT
	while (!done)
#endif
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *signaller(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&lock);
	done = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, waiter, NULL);
	pthread_create(&b, NULL, signaller, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
