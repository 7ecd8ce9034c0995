/*
 * What comes through a pipe decides what its reader does: it says who has written, and what that
 * one had read before. And it is in memory only when it has come.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2], of[2], state, published;
static char buffer[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *number)
{
	char me = (char)(long)number;

	of[(int)me] = 1;
	return write(ends[1], &me, 1) == 1 ? NULL : number;
}

/* Uses the buffer before the reader can have anything in it. */
static void *user(void *unused)
{
	buffer[0] = 7;
	return write(ends[1], &buffer[0], 1) == 1 ? NULL : unused;
}

static void *publisher(void *unused)
{
	published = 1;
	pthread_mutex_lock(&lock);
	state = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *reporter(void *unused)
{
	char seen;

	do {
		pthread_mutex_lock(&lock);
		seen = (char)state;
		pthread_mutex_unlock(&lock);
	} while (!seen);
	return write(ends[1], &seen, 1) == 1 ? NULL : unused;
}

static void pair(void *(*f)(void *), void *a, void *(*g)(void *), void *b, pthread_t *threads)
{
	pthread_create(&threads[0], NULL, f, a);
	pthread_create(&threads[1], NULL, g, b);
}

static void *reader(void *unused)
{
	for (int i = 0; i < 2; i++) {
		char who = 0;

		if (read(ends[0], &who, 1) == 1)
			of[(int)who]++; /* of who has written, not of the other */
	}
	return unused;
}

static void *buffer_reader(void *unused)
{
	return read(ends[0], buffer, 1) == 1 ? NULL : unused;
}

static void *report_reader(void *unused)
{
	char seen = 0;

	if (read(ends[0], &seen, 1) == 1 && seen)
		published++;
	return unused;
}

static void with(void *(*f)(void *), pthread_t *threads, int n)
{
	pthread_t last;

	pthread_create(&last, NULL, f, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	pthread_join(last, NULL);
}

int main(void)
{
	pthread_t threads[2];

	if (pipe(ends))
		return 1;
	pair(writer, (void *)0, writer, (void *)1, threads);
	with(reader, threads, 2);
	pthread_create(&threads[0], NULL, user, NULL);
	with(buffer_reader, threads, 1);
	pair(publisher, NULL, reporter, NULL, threads);
	with(report_reader, threads, 2);
	printf("%d %d %d %d\n", of[0], of[1], buffer[0], published);
	return 0;
}
