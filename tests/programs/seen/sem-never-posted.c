/*
 * Nobody posts the semaphore; and a lock stays with a thread that has ended.
 *
 * expect: seen-stuck @sem @lock @join
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *wait(void *unused)
{
	sem_wait(&done); /* @sem */
	return unused;
}

static void *forget(void *unused)
{
	pthread_mutex_lock(&lock);
	return unused;
}

static void *want(void *unused)
{
	pthread_mutex_lock(&lock); /* @lock */
	return unused;
}

int main(void)
{
	pthread_t t, u, v;

	sem_init(&done, 0, 0);
	pthread_create(&t, NULL, wait, NULL);
	pthread_create(&u, NULL, forget, NULL);
	pthread_join(u, NULL);
	pthread_create(&v, NULL, want, NULL);
	pthread_join(t, NULL); /* @join */
	pthread_join(v, NULL);
	return 0;
}
