/*
 * A child reads a socket and writes a pipe.
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

static int ends[2], from_child[2], data;

static void *ask(void *unused)
{
	data = 1;
	if (send(ends[1], "x", 1, 0) != 1)
		exit(1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pipe(from_child))
		return 1;
	pid_t child = fork();
	if (!child)
		_exit(recv(ends[0], &c, 1, 0) != 1 || write(from_child[1], &c, 1) != 1);
	pthread_create(&thread, NULL, ask, NULL);
	if (read(from_child[0], &c, 1) == 1)
		printf("%d\n", data);
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
