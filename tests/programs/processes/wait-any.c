/*
 * One thread makes a child, another one waits until there is a child that is over.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int data;

static void *make(void *unused)
{
	data = 1;
	if (!fork())
		_exit(0);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, make, NULL);
	while (wait(NULL) < 0)
		usleep(100);
	printf("%d\n", data);
	pthread_join(thread, NULL);
	return 0;
}
