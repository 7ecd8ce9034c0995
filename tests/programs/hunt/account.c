/* Deposit and withdrawal without a lock around both: one of them may be lost. */
#include <assert.h>
#include <pthread.h>

static int balance = 10;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(void)
{
	pthread_mutex_lock(&lock);
	int value = balance;
	pthread_mutex_unlock(&lock);
	return value;
}

static void set(int value)
{
	pthread_mutex_lock(&lock);
	balance = value;
	pthread_mutex_unlock(&lock);
}

static void *deposit(void *argument)
{
	(void)argument;
#ifdef RIGHT
	pthread_mutex_lock(&lock);
	balance += 5;
	pthread_mutex_unlock(&lock);
#else
	set(get() + 5);
#endif
	return NULL;
}

static void *withdraw(void *argument)
{
	(void)argument;
#ifdef RIGHT
	pthread_mutex_lock(&lock);
	balance -= 3;
	pthread_mutex_unlock(&lock);
#else
	set(get() - 3);
#endif
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, deposit, NULL);
	pthread_create(&b, NULL, withdraw, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(get() == 12);
	set(0);
	return 0;
}
