/*
 * What system calls return depends on their arguments, on what other threads did to the same files,
 * and on nothing else that the thread has read: so the last thread's write behind one races. What
 * is told to the kernel in memory, or comes back through a file or a pipe, still decides.
 *
 * expect: race @early @late
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int pipes[2], events, file;
static int shown;
static uint64_t number;
static char path[8];
static int open_data, piped, told, named, stored;

static void *publish(void *unused)
{
	int five = 5;

	piped = told = named = stored = 1;
	open_data = 1; /* @early */
	if (write(pipes[1], &five, sizeof(five)) != sizeof(five))
		abort();
	pthread_mutex_lock(&mutex);
	number = UINT64_MAX;
	strcpy(path, "/");
	shown = 1;
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *ask(void *unused)
{
	int got = 0, back = 0, seen, access_status;
	ssize_t status;

	usleep(100000);
	if (read(pipes[0], &got, sizeof(got)) == sizeof(got) && got == 5)
		piped++;
	pthread_mutex_lock(&mutex);
	status = write(events, &number, sizeof(number));
	access_status = access(path, F_OK);
	seen = shown;
	pthread_mutex_unlock(&mutex);
	if (status < 0)
		told++;
	if (!access_status)
		named++;
	if (pwrite(file, &seen, sizeof(seen), 0) != sizeof(seen))
		abort();
	if (pread(file, &back, sizeof(back), 0) == sizeof(back) && back)
		stored++;
	return unused;
}

static void *look(void *unused)
{
	static volatile int seen;
	char nothing = 0;

	usleep(200000);
	pthread_mutex_lock(&mutex);
	seen = shown;
	pthread_mutex_unlock(&mutex);
	if (write(pipes[1], &nothing, 1) == 1)
		open_data = 2; /* @late */
	return unused;
}

int main(void)
{
	pthread_t a, b, c;
	FILE *f = tmpfile();

	if (pipe(pipes) || !f)
		return 1;
	events = eventfd(0, EFD_NONBLOCK);
	file = fileno(f);
	pthread_create(&a, NULL, publish, NULL);
	pthread_create(&b, NULL, ask, NULL);
	pthread_create(&c, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	printf("%d %d %d %d %d\n", piped, told, named, stored, open_data);
	return 0;
}
