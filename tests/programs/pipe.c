/*
 * What is sent through a pipe comes before what is done by who receives it.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2], message;

static void *sender(void *unused)
{
	char byte = 'x';

	message = 6;
	return write(ends[1], &byte, 1) == 1 ? NULL : unused;
}

static void *receiver(void *unused)
{
	char byte;

	if (read(ends[0], &byte, 1) == 1)
		printf("%c %d\n", byte, message);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	if (pipe(ends))
		return 1;
	pthread_create(&a, NULL, sender, NULL);
	pthread_create(&b, NULL, receiver, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
