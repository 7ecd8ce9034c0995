/*
 * How ways are run; see generate.
 *
 *	PROGRAM reversed NAME…	of these, in the order that they have, or of all ways, the second
 *thread alone before the first: what can happen PROGRAM PAUSE NAME…	the first thread has so many
 *microseconds until the second one begins
 *
 * Each way in which the second thread wrote the data is printed, and each for which the pause was
 *too short.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALL __attribute__((noinline))

struct way {
	const char *name;
	void *(*first)(void *);
	void *(*second)(void *);
	const int *data;
	const int *seen;
};

static void run_reversed(const struct way *way)
{
	pthread_t t;

	pthread_create(&t, NULL, way->second, NULL);
	pthread_join(t, NULL);
	if (*way->data == 2)
		printf("wrote %s\n", way->name);
	pthread_create(&t, NULL, way->first, NULL);
	pthread_join(t, NULL);
}

static void run_way(const struct way *way, unsigned pause)
{
	pthread_t first, second;

	pthread_create(&first, NULL, way->first, NULL);
	usleep(pause);
	pthread_create(&second, NULL, way->second, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%s %s\n", *way->seen != 7 ? "late" : *way->data == 2 ? "wrote" : "ran", way->name);
}

static int run_ways(const struct way *ways, size_t count, int argc, char **argv)
{
	int reversed = argc > 1 && strcmp(argv[1], "reversed") == 0;
	unsigned pause = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	int next = 2;

	for (size_t i = 0; i < count; i++) {
		if (argc > 2 && (next == argc || strcmp(argv[next], ways[i].name) != 0))
			continue;
		next++;
		if (reversed)
			run_reversed(&ways[i]);
		else
			run_way(&ways[i], pause);
	}
	return 0;
}
