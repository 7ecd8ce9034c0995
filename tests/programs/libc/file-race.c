/*
 * What is only written orders nobody: two threads print to the terminal and write to a log, by
 * descriptor and by stream, each has a file of its own, and what they do beside that races.
 *
 * expect: race @first @second
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fd;
int bare;
static FILE *stream;

static void *first(void *unused)
{
	bare = 1; /* @first */
	fprintf(stream, "first\n");
	fflush(stream);
	if (write(fd, "first\n", 6) != 6)
		abort();
	printf("a line\n");
	fflush(stdout);
	return unused;
}

static void *second(void *unused)
{
	printf("a line\n");
	fflush(stdout);
	if (write(fd, "second\n", 7) != 7)
		abort();
	fputs("second\n", stream);
	fflush(stream);
	bare = 2; /* @second */
	return unused;
}

int main(void)
{
	char pattern[] = "/tmp/norn-file-race.XXXXXX";
	pthread_t a, b;

	fd = mkstemp(pattern);
	stream = fopen(pattern, "a");
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	fclose(stream);
	close(fd);
	unlink(pattern);
	return 0;
}
