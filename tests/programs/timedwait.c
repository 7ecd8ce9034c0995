/*
 * Waits that time out, and waits that are woken, one at a time and all at once.
 *
 * expect: nothing
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static int turn, waiting, timeouts;

static void *follower(void *number)
{
	int mine = (int)(long)number;

	pthread_mutex_lock(&lock);
	waiting++;
	pthread_cond_broadcast(&changed);
	while (turn != mine)
		pthread_cond_wait(&changed, &lock);
	turn++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *patient(void *unused)
{
	struct timespec soon;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec += soon.tv_nsec > 970000000;
	soon.tv_nsec = (soon.tv_nsec + 30000000) % 1000000000;
	pthread_mutex_lock(&lock);
	while (pthread_cond_timedwait(&never, &lock, &soon) != ETIMEDOUT)
		;
	timeouts++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[4];

	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, follower, (void *)(i + 1));
	pthread_create(&threads[3], NULL, patient, NULL);
	pthread_mutex_lock(&lock);
	while (waiting < 3)
		pthread_cond_wait(&changed, &lock);
	turn = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", turn, timeouts);
	return 0;
}
