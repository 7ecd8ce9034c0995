/* One who finds no permit goes without, and does the work that needs one. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t permits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int working, most;

static void *work(void *argument)
{
	int got = sem_trywait(&permits) == 0;

#ifdef RIGHT
	if (!got)
		return argument;
#endif
	pthread_mutex_lock(&lock);
	working++;
	most = working > most ? working : most;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	working--;
	pthread_mutex_unlock(&lock);
	if (got)
		sem_post(&permits);
	return argument;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&permits, 0, 1);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(most <= 1);
	return 0;
}
