/*
 * One thread reads from a pipe that a child process writes to after a while.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>

static int ends[2];
static sem_t done;

static void *run(void *unused)
{
	char byte;

	if (read(ends[0], &byte, 1) == 1)
		sem_post(&done);
	return unused;
}

int main(void)
{
	pthread_t t;

	if (pipe(ends))
		return 1;
	pid_t child = fork();

	if (child == 0) {
		sleep(3);
		_exit(write(ends[1], "x", 1) != 1);
	}
	sem_init(&done, 0, 0);
	pthread_create(&t, NULL, run, NULL);
	sem_wait(&done);
	pthread_join(t, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
