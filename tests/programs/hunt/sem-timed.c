/* Who waits for a second at the most, and goes on as if it had got what it waited for. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *make(void *argument)
{
	pthread_mutex_lock(&lock);
	value = 1;
	pthread_mutex_unlock(&lock);
	sem_post(&ready);
	return argument;
}

int main(void)
{
	struct timespec until;
	pthread_t maker;

	sem_init(&ready, 0, 0);
	pthread_create(&maker, NULL, make, NULL);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	int late = sem_timedwait(&ready, &until);

	(void)late;
#ifdef RIGHT
	if (!late)
#endif
	{
		pthread_mutex_lock(&lock);
		int seen = value;
		pthread_mutex_unlock(&lock);
		assert(seen == 1);
	}
	pthread_join(maker, NULL);
	return 0;
}
