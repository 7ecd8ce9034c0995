/*
 * What the program tells the kernel of its memory: MADV_DONTNEED and MADV_FREE of private memory
 * are writes of zeros, that of shared memory is none; and a thread learns of mprotect by a fault.
 * The first page is read when another thread has cleared it, the second one while it may.
 *
 * expect: race @clears @reads
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static volatile int *ordered, *free_one, *shared;
static char *guard;
static atomic_int cleared;
static int data;
static volatile int sum, faults;

static void handler(int signal)
{
	(void)signal;
	sum += data; /* right: the other thread wrote it before it protected the page */
	faults = 1;
	mprotect(guard, PAGE, PROT_READ | PROT_WRITE);
}

static void *first(void *unused)
{
	if (madvise((void *)ordered, PAGE, MADV_DONTNEED))
		abort();
	cleared = 1;
	if (madvise((void *)shared, PAGE, MADV_DONTNEED))
		abort();
	if (madvise((void *)free_one, PAGE, MADV_FREE)) /* @clears */
		abort();
	data = 1;
	mprotect(guard, PAGE, PROT_NONE);
	return unused;
}

static void *second(void *unused)
{
	sum += free_one[3]; /* @reads */
	sum += shared[3];
	while (!cleared)
		usleep(100);
	sum += ordered[3];
	while (!faults) {
		*(volatile char *)guard = 1;
		usleep(100);
	}
	return unused;
}

static volatile int *page(int how)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	((int *)p)[3] = 7;
	return p;
}

int main(void)
{
	pthread_t a, b;

	ordered = page(MAP_PRIVATE);
	free_one = page(MAP_PRIVATE);
	shared = page(MAP_SHARED);
	guard = (char *)page(MAP_PRIVATE);
	signal(SIGSEGV, handler);
	pthread_create(&b, NULL, second, NULL);
	pthread_create(&a, NULL, first, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", ordered[3], shared[3]);
	return 0;
}
