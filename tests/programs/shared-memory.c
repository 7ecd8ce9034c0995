/*
 * Memory shared with another process, which Norn does not see: what it writes comes from outside.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int *page;

static void *look(void *unused)
{
	pthread_mutex_lock(&lock);
	int now = page[0] + page[1];
	pthread_mutex_unlock(&lock);
	return (void *)(long)(now + (unused != NULL));
}

int main(void)
{
	pthread_t thread;
	int status;
	void *one, *two;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	page[0] = 1;
	pthread_create(&thread, NULL, look, NULL);
	pthread_join(thread, &one);
	pid_t child = fork();

	if (!child) {
		page[0] = 10;
		page[1] = 20;
		_exit(0);
	}
	waitpid(child, &status, 0);
	pthread_create(&thread, NULL, look, NULL);
	pthread_join(thread, &two);
	printf("%ld %ld\n", (long)one, (long)two);
	return 0;
}
