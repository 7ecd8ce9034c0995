/*
 * A child process, with pthread_atfork; it goes its own way.
 *
 * expect: undecided
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, prepared;

static void prepare(void)
{
	pthread_mutex_lock(&lock);
	prepared++;
}

static void release(void)
{
	pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	int status;

	pthread_atfork(prepare, release, release);
	pthread_create(&thread, NULL, work, NULL);
	pid_t child = fork();

	if (!child) {
		pthread_t inner;

		pthread_create(&inner, NULL, work, NULL);
		pthread_join(inner, NULL);
		_exit(count >= 100 ? 5 : 6);
	}
	waitpid(child, &status, 0);
	pthread_join(thread, NULL);
	printf("%d %d %d\n", WEXITSTATUS(status), count, prepared);
	return 0;
}
