/*
 * The lock of a stream, and a file lock, guard data of the program.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>

static int in_stream, in_file;

static void *work(void *file)
{
	flockfile(stdout);
	in_stream++;
	funlockfile(stdout);
	flock(fileno(file), LOCK_EX);
	in_file++;
	flock(fileno(file), LOCK_UN);
	return NULL;
}

int main(void)
{
	FILE *file = tmpfile();
	pthread_t a, b;

	if (!file)
		return 1;
	pthread_create(&a, NULL, work, file);
	pthread_create(&b, NULL, work, file);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", in_stream, in_file);
	return 0;
}
