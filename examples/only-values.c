/*
 * The second thread looks at `result` only if somebody has come in: count > 0. In the run that
 * is observed the first thread has, and count is 2. But the second counts itself as well: were
 * it first, count would be 1, and it would look all the same. To know that one has to
 * calculate: the value of count would be another one.
 *
 * expect: race @write @read
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result, count;

static void *producer(void *unused)
{
	result = 7; /* @write */
	pthread_mutex_lock(&lock);
	count += 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *consumer(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&lock);
	count += 1;
	if (count > 0) {
		pthread_mutex_unlock(&lock);
		printf("result %d\n", result); /* @read */
	} else {
		pthread_mutex_unlock(&lock);
	}
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
