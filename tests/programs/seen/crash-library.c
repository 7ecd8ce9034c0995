/*
 * A library function is given nothing to read.
 *
 * status: 139
 * expect: seen-crash @strlen
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

static char *volatile nothing;
static volatile size_t length;

static void *run(void *unused)
{
	length = strlen(nothing); /* @strlen */
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	return 0;
}
