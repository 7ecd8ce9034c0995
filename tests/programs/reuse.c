/*
 * Memory that is freed and given out again is other memory: threads that have it one after the
 * other share nothing, also if no lock is between them. So for stacks and mappings.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static long sums[2];

static void touch(volatile int *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = i;
}

static void *work(void *number)
{
	int mine = (int)(long)number;
	volatile int local[32];

	usleep(100000 * mine);
	touch(local, 32);
	for (int i = 1; i < 20; i++) {
		int *p = malloc(16 * sizeof(*p));

		touch(p, 16);
		p = realloc(p, 400 * i * sizeof(*p));
		touch(p, 400 * i);
		sums[mine] += p[15] + local[3];
		free(p);
		p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		touch(p, 10);
		sums[mine] += p[9] + p[11];
		munmap(p, 8192);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, (void *)0);
	pthread_create(&b, NULL, work, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld %ld\n", sums[0], sums[1]);
	return 0;
}
