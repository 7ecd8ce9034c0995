/*
 * The producer says that something is there before it is: it writes `place` when it has
 * already let go of the lock.
 *
 * expect: race @write @read
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int place, full;

static void *producer(void *unused)
{
	usleep(100000); /* the consumer waits by then */
	pthread_mutex_lock(&lock);
	full = 1;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
	place = 5; /* @write */
	return unused;
}

static void *consumer(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!full)
		pthread_cond_wait(&filled, &lock);
	pthread_mutex_unlock(&lock);
	usleep(100000);
	printf("%d\n", place); /* @read */
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
