/*
 * There is a child, but nothing that it does orders the two threads.
 *
 * output: varies
 * expect: race @count @look
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

static void *count(void *unused)
{
	data++; /* @count */
	return unused;
}

int main(void)
{
	pthread_t thread;

	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	pthread_create(&thread, NULL, count, NULL);
	usleep(20000);
	printf("%d\n", data); /* @look */
	pthread_join(thread, NULL);
	return 0;
}
