/*
 * Two accesses that no section orders, as causal orders see it, so that they report a race. There
 * is none: what happens instead is that the threads wait for each other.
 *
 * scenario: cp-9
 * bugs: race,deadlock,stuck
 * expect: deadlock @one @two
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *one(void *unused)
{
	pthread_mutex_lock(&l);
	y = 1;
	pthread_mutex_lock(&m); /* @one */
	x = 1;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&l);
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&m);
	x = 2;
	pthread_mutex_lock(&l); /* @two */
	y = 2;
	pthread_mutex_unlock(&l);
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", x, y);
	return 0;
}
