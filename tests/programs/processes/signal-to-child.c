/*
 * A child gets a signal from one thread, and its end tells another one.
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
static pid_t child;

static void *stop(void *unused)
{
	data = 1;
	kill(child, SIGTERM);
	return unused;
}

int main(void)
{
	pthread_t thread;

	child = fork();
	if (!child)
		for (;;)
			pause();
	pthread_create(&thread, NULL, stop, NULL);
	waitpid(child, NULL, 0);
	printf("%d\n", data);
	pthread_join(thread, NULL);
	return 0;
}
