/*
 * The program has functions of its own by libc's names, which call libc's. What is written before
 * a write comes before what is read behind the read; the twin is touched before both.
 *
 * expect: race @sends @receives
 * flags: -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2], data, calls;
static volatile int twin;

void *malloc(size_t n)
{
	static void *(*next)(size_t);
	if (!next)
		next = dlsym(RTLD_NEXT, "malloc");
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	return next(n);
}

void free(void *p)
{
	static void (*next)(void *);
	if (!next)
		next = dlsym(RTLD_NEXT, "free");
	next(p);
}

ssize_t write(int fd, const void *from, size_t n)
{
	static ssize_t (*next)(int, const void *, size_t);
	if (!next)
		next = dlsym(RTLD_NEXT, "write");
	return next(fd, from, n);
}

static void *sends(void *p)
{
	twin = 1; /* @sends */
	char *copy = malloc(8);
	strcpy(copy, "text");
	free(copy);
	data = 1;
	write(ends[1], "x", 1);
	return p;
}

static void *receives(void *p)
{
	char byte;
	twin = 2; /* @receives */
	if (read(ends[0], &byte, 1) != 1)
		abort();
	data++;
	return p;
}

int main(void)
{
	pthread_t a, b;

	free(malloc(1));
	if (pipe(ends))
		abort();
	pthread_create(&a, NULL, sends, NULL);
	pthread_create(&b, NULL, receives, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", data, calls > 0);
	return 0;
}
