/*
 * A child is made by one thread, and what it writes is read by another.
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

static int answer[2], data;

static void *make(void *unused)
{
	data = 1;
	pid_t child = fork();
	if (!child)
		_exit(write(answer[1], "x", 1) != 1);
	waitpid(child, NULL, 0);
	return unused;
}

int main(void)
{
	pthread_t thread;
	char c;

	if (pipe(answer))
		return 1;
	pthread_create(&thread, NULL, make, NULL);
	if (read(answer[0], &c, 1) == 1)
		printf("%d\n", data);
	pthread_join(thread, NULL);
	return 0;
}
