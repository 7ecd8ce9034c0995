/*
 * What is only read orders nobody: two threads open a file, read it, move about in it and close it.
 * The number of the descriptor is given again. What the threads do beside that races.
 *
 * expect: race @first @second
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static char pattern[] = "/tmp/norn-read-race.XXXXXX";
int bare;

static void read_file(void)
{
	char buffer[8];
	int fd = open(pattern, O_RDONLY);

	if (read(fd, buffer, 4) != 4 || lseek(fd, 0, SEEK_SET) || read(fd, buffer, 4) != 4)
		abort();
	close(fd);
}

static void *first(void *unused)
{
	bare = 1; /* @first */
	read_file();
	return unused;
}

static void *second(void *unused)
{
	usleep(20000);
	read_file();
	bare = 2; /* @second */
	return unused;
}

int main(void)
{
	pthread_t a, b;
	int fd = mkstemp(pattern);

	if (write(fd, "line\n", 5) != 5)
		abort();
	close(fd);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	unlink(pattern);
	return 0;
}
