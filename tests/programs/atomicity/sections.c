/*
 * Seats are sold. Whether there is one left is asked in one critical section; it is taken in another
 * one, without a second look.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 2, sold;

static void *buy(void *unused)
{
	pthread_mutex_lock(&lock);
	int left = seats;
	pthread_mutex_unlock(&lock);
	if (!left)
		return unused;
	pthread_mutex_lock(&lock);
	seats = left - 1;
	sold++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, buy, NULL);
	pthread_create(&b, NULL, buy, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", sold);
	return 0;
}
