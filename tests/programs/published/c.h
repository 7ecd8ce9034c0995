/* What the ways of c.ways use. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static int failures;

static void fail(const char *way)
{
	fprintf(stderr, "%s: never published\n", way);
	failures = 1;
}

static void both(void *(*publishes)(void *), void *(*asks)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, publishes, NULL);
	pthread_create(&b, NULL, asks, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
