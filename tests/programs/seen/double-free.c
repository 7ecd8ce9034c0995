/*
 * One thread frees a block twice, and libc notices.
 *
 * status: 134
 * expect: seen-double-free @first @second
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static void *run(void *unused)
{
	void *volatile p = malloc(300);

	free(p); /* @first */
	free(p); /* @second */
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	return 0;
}
