/*
 * Try-locks that fail and ones that do not; spin locks; a lock with a time limit.
 *
 * expect: nothing
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t taken, tried;
static int count, failures;

static void *holder(void *unused)
{
	pthread_mutex_lock(&lock);
	sem_post(&taken);
	sem_wait(&tried);
	count++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *trier(void *unused)
{
	struct timespec soon;

	sem_wait(&taken);
	failures += pthread_mutex_trylock(&lock) == EBUSY;
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 1000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_nsec -= 1000000000;
		soon.tv_sec++;
	}
	failures += pthread_mutex_timedlock(&lock, &soon) == ETIMEDOUT;
	failures += sem_trywait(&tried) == -1;
	sem_post(&tried);
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *spinner(void *unused)
{
	for (int i = 0; i < 50; i++) {
		if (pthread_spin_trylock(&spin))
			pthread_spin_lock(&spin);
		count++;
		pthread_spin_unlock(&spin);
	}
	return unused;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&taken, 0, 0);
	sem_init(&tried, 0, 0);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&a, NULL, holder, NULL);
	pthread_create(&b, NULL, trier, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_create(&a, NULL, spinner, NULL);
	pthread_create(&b, NULL, spinner, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", count, failures);
	return 0;
}
