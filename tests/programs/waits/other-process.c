/*
 * The semaphore is shared with a child process, which posts it after a while.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

static sem_t *done;

static void *run(void *unused)
{
	sem_wait(done);
	return unused;
}

int main(void)
{
	pthread_t t;

	done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(done, 1, 0);
	pid_t child = fork();

	if (child == 0) {
		sleep(3);
		sem_post(done);
		_exit(0);
	}
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
