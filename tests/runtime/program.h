/*
 * For programs that call the hooks themselves, as instrumented code would. They are compiled and
 * run by tests/unit/runtime.c, which looks at what they leave; each tells by its exit status
 * whether everything behaved as without the runtime.
 */
#ifndef TESTS_RUNTIME_PROGRAM_H
#define TESTS_RUNTIME_PROGRAM_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/hooks.h"

#define WANT(condition)                                                                 \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1);                                                       \
		}                                                                       \
	} while (0)

static inline long get(const long *p)
{
	return (long)__norn_read8(p, 0).value;
}
static inline void put(long *p, long value)
{
	__norn_write8(p, (uint64_t)value, 0);
}

static inline void add(long *p, long n)
{
	struct norn_read old = __norn_read8(p, 0);
	__norn_branch_from(0, old.position, 0, 0);
	__norn_write8_from(p, old.value + (uint64_t)n, 0, old.position, 0, 0);
}

static inline struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

#endif
