/*
 * A robust mutex is given up by a thread that does not mend it, while one waits with it on a
 * condition, and one for it: they learn that, and touch nothing it guards. One owner is detached.
 * With two that wait on the condition glibc at times wakes only one of them.
 *
 * expect: nothing
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int state, told; /* state: of the lock */

static void *owner(void *unused)
{
	if (pthread_mutex_lock(&lock) != ENOTRECOVERABLE)
		state = 1;
	pthread_cond_signal(&changed);
	return unused;
}

static void *gives_up(void *unused)
{
	if (pthread_mutex_lock(&lock) == EOWNERDEAD) {
		state = 2;
		pthread_mutex_unlock(&lock); /* not mended: nobody will ever have it again */
	}
	return unused;
}

static void *waits(void *unused)
{
	int r = pthread_mutex_lock(&lock), seen = 0;

	while (r == 0 && (seen = state) == 0)
		r = pthread_cond_wait(&changed, &lock);
	if (r == EOWNERDEAD) {
		state = 3;
		r = pthread_mutex_consistent(&lock);
	}
	if (r == ENOTRECOVERABLE) {
		pthread_mutex_lock(&other);
		told += state; /* nobody changes it any more */
		pthread_mutex_unlock(&other);
	} else {
		pthread_mutex_unlock(&lock);
	}
	(void)seen;
	return unused;
}

int main(void)
{
	pthread_mutexattr_t robust;
	pthread_attr_t detached;
	pthread_t dies, threads[2];

	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &robust);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_create(&threads[0], NULL, waits, NULL);
	pthread_create(&threads[1], NULL, gives_up, NULL);
	pthread_create(&dies, &detached, owner, NULL);
	pthread_join(threads[1], NULL);
	pthread_cond_broadcast(&changed);
	pthread_join(threads[0], NULL);
	printf("done\n");
	return 0;
}
