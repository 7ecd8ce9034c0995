/*
 * exit(3) in a thread, pthread_exit in main; functions at exit, constructors and destructors touch
 * memory.
 *
 * status: 3
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int steps[4];

__attribute__((constructor)) static void before(void)
{
	steps[0] = 1;
}

__attribute__((destructor)) static void after(void)
{
	printf("%d %d %d\n", steps[0], steps[1], steps[2]);
}

static void at_exit(void)
{
	steps[2] = steps[1] + 1;
}

static void *work(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	steps[1] = steps[0] + 1;
	exit(3);
}

int main(void)
{
	static pthread_t self;
	pthread_t thread;

	atexit(at_exit);
	self = pthread_self();
	pthread_create(&thread, NULL, work, &self);
	pthread_detach(thread);
	pthread_exit(NULL);
}
