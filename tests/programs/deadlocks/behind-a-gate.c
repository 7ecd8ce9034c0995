/*
 * Two mutexes in opposite orders, but whoever takes them holds a third one, so that only one of
 * them is under way.
 *
 * scenario: guarded-lock2
 * bugs: race,deadlock,stuck
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, p = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&p);
	count++;
	pthread_mutex_unlock(&p);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&gate);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&p);
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&p);
	pthread_mutex_unlock(&gate);
	pthread_join(thread, NULL);
	printf("%d\n", count);
	return 0;
}
