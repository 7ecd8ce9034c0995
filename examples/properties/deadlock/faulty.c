/* Two threads take two locks in opposite orders. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void add(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	sum++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *worker(void *unused)
{
	usleep(20000);
	add(&b, &a);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	add(&a, &b);
	pthread_join(thread, NULL);
	printf("%d\n", sum);
	return 0;
}
