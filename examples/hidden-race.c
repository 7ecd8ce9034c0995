/*
 * One thread prepares a message under a lock; another asks for the count under the same lock,
 * and then takes the message without it. In the run that is observed the reader comes second,
 * so that the lock seems to order the two accesses. Nothing makes it come second.
 *
 * expect: race @write @read
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int message, messages;

static void *writer(void *unused)
{
	pthread_mutex_lock(&lock);
	message = 42; /* @write */
	messages = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *reader(void *unused)
{
	usleep(100000); /* so that it comes second here */
	pthread_mutex_lock(&lock);
	int count = messages;
	pthread_mutex_unlock(&lock);
	int text = message; /* @read */
	printf("%d message(s), the last is %d\n", count, text);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
