/*
 * What is still in a pipe when the program forks is handed on by the child.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_child[2], from_child[2], data;

static void *put(void *unused)
{
	data = 1;
	if (write(to_child[1], "x", 1) != 1)
		exit(1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	char c;

	if (pipe(to_child) || pipe(from_child))
		return 1;
	pthread_create(&thread, NULL, put, NULL);
	usleep(50000);
	pid_t child = fork();
	if (!child)
		_exit(read(to_child[0], &c, 1) != 1 || write(from_child[1], &c, 1) != 1);
	if (read(from_child[0], &c, 1) == 1)
		printf("%d\n", data);
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
