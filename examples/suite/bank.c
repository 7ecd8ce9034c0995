/* Accounts with a lock. The audit, which some tests have beside the deposits, forgets it. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *deposit(void *amount)
{
	pthread_mutex_lock(&lock);
	total += (long)amount;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *audit(void *unused)
{
	(void)unused;
	return (void *)total; /* BUG: without the lock */
}

int main(int argc, char **argv)
{
	long amount = argc > 1 ? atol(argv[1]) : 0;
	pthread_t one, two, auditor;
	void *seen = NULL;

	pthread_create(&one, NULL, deposit, (void *)amount);
	pthread_create(&two, NULL, deposit, (void *)amount);
	if (amount % 5 == 0) {
		pthread_create(&auditor, NULL, audit, NULL);
		pthread_join(auditor, &seen);
	}
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return total == 2 * amount && (long)seen <= total ? 0 : 1;
}
