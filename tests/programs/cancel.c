/*
 * Threads that are cancelled, with cleanup handlers.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleaned, started;

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
	pthread_mutex_unlock(&lock);
}

static void *waiter(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(clean, NULL);
	started++;
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(0);
	return unused;
}

static int has_started(void)
{
	pthread_mutex_lock(&lock);
	int now = started;
	pthread_mutex_unlock(&lock);
	return now;
}

int main(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, waiter, NULL);
	while (!has_started())
		usleep(1000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	pthread_mutex_lock(&lock);
	printf("%d %d\n", cleaned, result == PTHREAD_CANCELED);
	pthread_mutex_unlock(&lock);
	return 0;
}
