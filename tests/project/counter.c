/* In a static library. */
#include "counter.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

void counter_add(int n)
{
	pthread_mutex_lock(&lock);
	count += n;
	pthread_mutex_unlock(&lock);
}

int counter_value(void)
{
	pthread_mutex_lock(&lock);
	int now = count;
	pthread_mutex_unlock(&lock);
	return now;
}
