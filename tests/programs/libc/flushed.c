/*
 * What one thread has put into a stream another one writes to the file, where a third finds it.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char name[] = "/tmp/norn-flushed.XXXXXX";
static FILE *stream;
static int data[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *writer(void *unused)
{
	data[0] = 1;
	fputs("a", stream);
	data[1] = 1;
	putc('b', stream);
	return unused;
}

static void *flusher(void *unused)
{
	int over = 0;

	while (!over) {
		fflush(stream);
		usleep(1000);
		pthread_mutex_lock(&lock);
		over = done;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *reader(void *unused)
{
	char text[3] = "";

	while (text[0] != 'a' || text[1] != 'b') {
		FILE *f = fopen(name, "r");

		if (fread(text, 1, 2, f) < 2)
			text[1] = 0;
		fclose(f);
		usleep(1000);
	}
	data[0]++;
	data[1]++;
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	stream = fdopen(mkstemp(name), "w");
	pthread_create(&threads[0], NULL, reader, NULL);
	pthread_create(&threads[1], NULL, flusher, NULL);
	pthread_create(&threads[2], NULL, writer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	fclose(stream);
	unlink(name);
	printf("%d %d\n", data[0], data[1]);
	return 0;
}
