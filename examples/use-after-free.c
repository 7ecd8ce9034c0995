/*
 * The worker fills a buffer and then says that it has worked. The main thread gives the buffer
 * back; it looks at what the worker says, but does not wait for it.
 *
 * expect: race @use @free
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int worked;

static void *worker(void *buffer)
{
	*(int *)buffer = 42; /* @use */
	pthread_mutex_lock(&lock);
	worked++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	int *buffer = malloc(sizeof(*buffer));
	pthread_t thread;

	pthread_create(&thread, NULL, worker, buffer);
	usleep(100000);
	pthread_mutex_lock(&lock);
	int seen = worked;
	pthread_mutex_unlock(&lock);
	free(buffer); /* @free */
	pthread_join(thread, NULL);
	printf("worked: %d\n", seen);
	return 0;
}
