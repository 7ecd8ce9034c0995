/*
 * A handler for the end of the program runs only if it was registered: what the thread did before that comes first.
 * What it does afterwards races.
 *
 * expect: race @late @handled
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int data, late;

static void handler(void)
{
	printf("%d\n", data);
	fflush(stdout);
	late++; /* @handled */
}

static void *registers(void *p)
{
	data = 1;
	atexit(handler);
	late++; /* @late */
	return p;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, registers, NULL);
	pthread_detach(thread);
	usleep(100000);
	return 0;
}
