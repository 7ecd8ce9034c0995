/*
 * What a thread returns depends on what it has read: whoever joins it and gets 1 knows that the
 * flag was set, and so that the data is there. By return, pthread_exit and thrd_exit.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long flag[3], data[3];

static void *set(void *number)
{
	long i = (long)number;

	data[i] = 7;
	pthread_mutex_lock(&lock);
	flag[i] = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Late enough to be 1, as a rule. */
static long is_set(void *number)
{
	usleep(50000);
	pthread_mutex_lock(&lock);
	long value = flag[(long)number];
	pthread_mutex_unlock(&lock);
	return value;
}

static void *look(void *number)
{
	return (void *)is_set(number);
}

static void *look_and_exit(void *number)
{
	pthread_exit((void *)is_set(number));
}

static int look_c11(void *number)
{
	thrd_exit((int)is_set(number));
}

int main(void)
{
	pthread_t setters[3], looker;
	thrd_t other;
	void *value;
	int result;
	long sum = 0;

	for (long i = 0; i < 3; i++)
		pthread_create(&setters[i], NULL, set, (void *)i);
	pthread_create(&looker, NULL, look, (void *)0);
	pthread_join(looker, &value);
	if ((long)value == 1)
		sum += data[0];
	pthread_create(&looker, NULL, look_and_exit, (void *)1);
	pthread_join(looker, &value);
	if ((long)value == 1)
		sum += data[1];
	thrd_create(&other, look_c11, (void *)2);
	thrd_join(other, &result);
	if (result == 1)
		sum += data[2];
	for (int i = 0; i < 3; i++)
		pthread_join(setters[i], NULL);
	printf("%ld\n", sum);
	return 0;
}
