/*
 * A child answers by a signal, which another thread waits for.
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

static int to_child[2], data;

static void *ask(void *unused)
{
	data = 1;
	if (write(to_child[1], "x", 1) != 1)
		exit(1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	sigset_t set;
	char c;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (pipe(to_child))
		return 1;
	pid_t child = fork();
	if (!child)
		_exit(read(to_child[0], &c, 1) != 1 || kill(getppid(), SIGUSR1));
	pthread_create(&thread, NULL, ask, NULL);
	sigwait(&set, &got);
	printf("%d\n", data);
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
