/*
 * Two threads deadlock; a third one does not wait for them, and ends the program.
 *
 * expect: seen-deadlock @one @two
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t b;
static pthread_barrier_t both;
static volatile int there[2];

static void *one(void *unused)
{
	pthread_rwlock_rdlock(&a);
	pthread_barrier_wait(&both);
	there[0] = 1;
	pthread_spin_lock(&b); /* @one */
	pthread_spin_unlock(&b);
	pthread_rwlock_unlock(&a);
	return unused;
}

static void *two(void *unused)
{
	pthread_spin_lock(&b);
	pthread_barrier_wait(&both);
	there[1] = 1;
	pthread_rwlock_wrlock(&a); /* @two */
	pthread_rwlock_unlock(&a);
	pthread_spin_unlock(&b);
	return unused;
}

int main(void)
{
	pthread_t t, u;

	pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t, NULL, one, NULL);
	pthread_create(&u, NULL, two, NULL);
	while (!there[0] || !there[1])
		usleep(1000);
	sleep(2);
	_exit(0);
}
