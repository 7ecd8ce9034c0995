/*
 * Both threads write `last` without a lock, and both also count something under a lock: each
 * something else. The sections have nothing to do with each other; in which order they come
 * is chance, and so is that of the writes.
 *
 * expect: race @first @second
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last, reads, writes;

static void *one(void *unused)
{
	last = 1; /* @first */
	pthread_mutex_lock(&lock);
	reads++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&lock);
	writes++;
	pthread_mutex_unlock(&lock);
	last = 2; /* @second */
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d %d\n", last, reads, writes);
	return 0;
}
