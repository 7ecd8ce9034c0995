/*
 * Two threads deposit money. Each access to the balance is made under the lock, so that no two of
 * them race. But a deposit reads the balance in one critical section and writes it in another: what
 * the other thread has deposited in between is lost.
 *
 * norn cc --atomic deposit examples/atomicity/faulty.c
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int get_balance(void)
{
	pthread_mutex_lock(&lock);
	int now = balance;
	pthread_mutex_unlock(&lock);
	return now;
}

static void set_balance(int to)
{
	pthread_mutex_lock(&lock);
	balance = to;
	pthread_mutex_unlock(&lock);
}

static void deposit(int amount)
{
	int now = get_balance();

	set_balance(now + amount);
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
