/*
 * Two locks in opposite orders, but whoever takes both holds a third one: there is no deadlock.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *one(void *unused)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&l);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&l);
	pthread_mutex_unlock(&gate);
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&l);
	x++;
	pthread_mutex_unlock(&l);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&gate);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", x);
	return 0;
}
