/* Conditions, semaphores, barriers with more threads than parties, once, and C11's threads. */
#include "tests/runtime/program.h"

#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>

#define THREADS 6
#define ROUNDS 1200 /* a multiple of the parties */
#define PARTIES 4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static long items, runs, serials, tickets;
static sem_t sem, *named;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;

static void produce(void)
{
	pthread_mutex_lock(&mutex);
	add(&items, 1);
	if (get(&items) % 3 == 0)
		pthread_cond_broadcast(&condition);
	else
		pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
}

static void consume(int i)
{
	pthread_mutex_lock(&mutex);
	while (get(&items) == 0) {
		struct timespec soon = in_ms(i % 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC, 1);
		int result = i % 3 == 0 ? pthread_cond_wait(&condition, &mutex)
			     : i % 2	? pthread_cond_timedwait(&condition, &mutex, &soon)
				     : pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC,
							      &soon);
		WANT(result == 0 || (result == ETIMEDOUT && i % 3));
	}
	add(&items, -1);
	pthread_mutex_unlock(&mutex);
}

static void *queue(void *argument)
{
	for (int i = 0; i < ROUNDS; i++)
		(long)argument % 2 ? produce() : consume(i);
	return NULL;
}

static void *count(void *argument)
{
	sem_t *s = (long)argument % 4 < 2 ? &sem : named;
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec soon = in_ms(CLOCK_REALTIME, 1);
		if (i % 3 == 0) {
			while (sem_wait(s) != 0)
				WANT(errno == EINTR);
		} else if (i % 3 == 1) {
			while (sem_trywait(s) != 0)
				WANT(errno == EAGAIN);
		} else {
			while (sem_timedwait(s, &soon) != 0)
				WANT(errno == EINTR || errno == ETIMEDOUT);
		}
		WANT(sem_post(s) == 0);
	}
	return NULL;
}

static void run_once(void)
{
	add(&runs, 1);
}

static void *meet(void *argument)
{
	(void)argument;
	/* Tickets, or the last few might belong to too few threads to make up a round. */
	while (__atomic_fetch_add(&tickets, 1, __ATOMIC_SEQ_CST) < PARTIES * ROUNDS) {
		pthread_once(&once, run_once);
		call_once(&flag, run_once);
		WANT(get(&runs) == 2);
		int result = pthread_barrier_wait(&barrier);
		WANT(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
		if (result)
			__atomic_add_fetch(&serials, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static int c11(void *argument)
{
	add(argument, 1);
	return 42;
}

static void all(void *(*function)(void *), int n)
{
	pthread_t threads[16];
	for (long i = 0; i < n; i++)
		WANT(pthread_create(&threads[i], NULL, function, (void *)i) == 0);
	for (int i = 0; i < n; i++)
		WANT(pthread_join(threads[i], NULL) == 0);
}

static void *cancelled(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &mutex);
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(1);
	return NULL;
}

static void cancel_one(void)
{
	pthread_t thread;
	void *result;
	WANT(pthread_create(&thread, NULL, cancelled, NULL) == 0);
	usleep(2000);
	WANT(pthread_cancel(thread) == 0);
	WANT(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
	WANT(pthread_mutex_lock(&mutex) == 0);
	WANT(pthread_mutex_unlock(&mutex) == 0);
}

int main(void)
{
	char name[64];
	snprintf(name, sizeof name, "/norn-test-%d", (int)getpid());
	WANT(sem_init(&sem, 0, 2) == 0);
	named = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	WANT(named != SEM_FAILED);
	WANT(sem_unlink(name) == 0);
	WANT(pthread_barrier_init(&barrier, NULL, PARTIES) == 0);

	all(queue, THREADS);
	WANT(get(&items) == 0);
	all(count, THREADS);
	all(meet, PARTIES * 2);
	WANT(serials == ROUNDS);
	WANT(pthread_barrier_destroy(&barrier) == 0);
	WANT(sem_destroy(&sem) == 0 && sem_close(named) == 0);
	cancel_one();

	thrd_t thread;
	int result;
	WANT(thrd_create(&thread, c11, &items) == thrd_success);
	WANT(thrd_join(thread, &result) == thrd_success && result == 42);
	return 0;
}
