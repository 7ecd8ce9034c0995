/*
 * Three threads and three mutexes: no two threads take the same two in opposite orders, but all
 * three together go in a circle.
 *
 * scenario: tsandl2
 * bugs: race,deadlock,stuck
 * expect: deadlock @one @two @three
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER, l = PTHREAD_MUTEX_INITIALIZER,
		       m = PTHREAD_MUTEX_INITIALIZER;
static int in_k, in_l, in_m;

static void *one(void *unused)
{
	pthread_mutex_lock(&k);
	in_k++;
	pthread_mutex_lock(&l); /* @one */
	in_l++;
	pthread_mutex_unlock(&l);
	pthread_mutex_unlock(&k);
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&l);
	in_l++;
	pthread_mutex_lock(&m); /* @two */
	in_m++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&l);
	return unused;
}

static void *three(void *unused)
{
	usleep(200000);
	pthread_mutex_lock(&m);
	in_m++;
	pthread_mutex_lock(&k); /* @three */
	in_k++;
	pthread_mutex_unlock(&k);
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_create(&c, NULL, three, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	printf("%d %d %d\n", in_k, in_l, in_m);
	return 0;
}
