/*
 * Two mutexes in opposite orders, the textbook's case.
 *
 * scenario: hg02
 * bugs: race,deadlock,stuck
 * expect: deadlock @one @two
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, p = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *one(void *unused)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&p); /* @one */
	count++;
	pthread_mutex_unlock(&p);
	pthread_mutex_unlock(&m);
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&p);
	pthread_mutex_lock(&m); /* @two */
	count++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&p);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", count);
	return 0;
}
