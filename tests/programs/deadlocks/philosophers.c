/*
 * Five philosophers with a hundred meals each: each takes the fork to the left, then the one to the
 * right. Here they came to table one after the other.
 *
 * scenario: tc14
 * bugs: race,deadlock,stuck
 * expect: deadlock @right @right @right @right @right
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define PHILOSOPHERS 5
#define MEALS 100

static pthread_mutex_t forks[PHILOSOPHERS];
static int meals[PHILOSOPHERS];

static void *philosopher(void *argument)
{
	long number = (long)argument;

	usleep((useconds_t)number * 100000);
	for (int i = 0; i < MEALS; i++) {
		pthread_mutex_lock(&forks[number]);
		pthread_mutex_lock(&forks[(number + 1) % PHILOSOPHERS]); /* @right */
		meals[number]++;
		pthread_mutex_unlock(&forks[(number + 1) % PHILOSOPHERS]);
		pthread_mutex_unlock(&forks[number]);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[PHILOSOPHERS];
	int all = 0;

	for (long i = 0; i < PHILOSOPHERS; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (long i = 0; i < PHILOSOPHERS; i++)
		pthread_create(&threads[i], NULL, philosopher, (void *)i);
	for (long i = 0; i < PHILOSOPHERS; i++) {
		pthread_join(threads[i], NULL);
		all += meals[i];
	}
	printf("%d meals\n", all);
	return 0;
}
