/*
 * A semaphore is used as a lock, but its count starts at 2: both threads may be inside. In the run
 * that is observed they come one after the other, and a post seems to order them.
 *
 * expect: race @add @add
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t inside;
static int balance;

static void *add(void *delay)
{
	usleep(*(int *)delay);
	sem_wait(&inside);
	balance = balance + 10; /* @add */
	sem_post(&inside);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int now = 0, later = 100000;

	sem_init(&inside, 0, 2);
	pthread_create(&a, NULL, add, &now);
	pthread_create(&b, NULL, add, &later);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", balance);
	return 0;
}
