/*
 * Two locks in opposite orders, by threads of which the second is started when the first is over:
 * there is no deadlock.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *one(void *unused)
{
	pthread_mutex_lock(&l);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&l);
	return unused;
}

static void *two(void *unused)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&l);
	x++;
	pthread_mutex_unlock(&l);
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, one, NULL);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, two, NULL);
	pthread_join(thread, NULL);
	printf("%d\n", x);
	return 0;
}
