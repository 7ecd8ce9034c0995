/* What was checked is no longer so when it is acted upon. */
#include <assert.h>
#include <pthread.h>

static int seats = 1, sold;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *buy(void *argument)
{
	int free_seats;

	(void)argument;
	pthread_mutex_lock(&lock);
	free_seats = seats;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	if (free_seats > 0) {
#ifndef RIGHT
		pthread_mutex_lock(&lock);
#endif
		seats--;
		sold++;
#ifndef RIGHT
		pthread_mutex_unlock(&lock);
#endif
	}
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, buy, NULL);
	pthread_create(&b, NULL, buy, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(sold <= 1);
	return 0;
}
