/*
 * As faulty.c, but the lock is held from the read to the write.
 *
 * norn cc --atomic deposit examples/atomicity/right.c
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void deposit(int amount)
{
	pthread_mutex_lock(&lock);
	int now = balance;

	balance = now + amount;
	pthread_mutex_unlock(&lock);
}

static void *customer(void *unused)
{
	deposit(50);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, customer, NULL);
	pthread_create(&b, NULL, customer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", balance);
	return 0;
}
