/*
 * main returns while threads are at work, and nobody joins them. One of them is never done.
 *
 * status: 3
 * expect: race @one @two
 */
#include <pthread.h>
#include <unistd.h>

int x;
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void add(int n)
{
	pthread_mutex_lock(&lock);
	total += n;
	pthread_mutex_unlock(&lock);
}

static void *one(void *unused)
{
	usleep(50000);
	x = 1; /* @one */
	add(1);
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	x = 2; /* @two */
	add(2);
	return unused;
}

static void *waits(void *unused)
{
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, waits, NULL);
	pthread_create(&thread, NULL, one, NULL);
	pthread_create(&thread, NULL, two, NULL);
	add(3);
	return 3;
}
