/* A producer and two consumers wait for the same condition, and a signal wakes one of them: whom it is not for. */
#include <pthread.h>

static int room = 1, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void wake(void)
{
#ifdef RIGHT
	pthread_cond_broadcast(&changed);
#else
	pthread_cond_signal(&changed);
#endif
}

static void *consume(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&lock);
	while (!items)
		pthread_cond_wait(&changed, &lock);
	items--;
	room++;
	wake();
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *produce(void *argument)
{
	(void)argument;
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		while (!room)
			pthread_cond_wait(&changed, &lock);
		room--;
		items++;
		wake();
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, consume, NULL);
	pthread_create(&threads[1], NULL, consume, NULL);
	pthread_create(&threads[2], NULL, produce, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
