/*
 * Two mutexes in opposite orders, one of them only if a flag says so, which is set inside the
 * other: who sees it set comes when the other has both. An analysis that looks at
 * synchronisation alone, and not at the branch, gives a false alarm here.
 *
 * bugs: race,deadlock,stuck
 * expect: nothing
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, p = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;
static int count;

static void *worker(void *unused)
{
	usleep(100000);
	if (atomic_load(&flag)) {
		pthread_mutex_lock(&m);
		pthread_mutex_lock(&p);
		count++;
		pthread_mutex_unlock(&p);
		pthread_mutex_unlock(&m);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	pthread_mutex_lock(&p);
	pthread_mutex_lock(&m);
	atomic_store(&flag, 1);
	count++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&p);
	pthread_join(thread, NULL);
	printf("%d\n", count);
	return 0;
}
