/*
 * A lock in assembly, which Norn cannot look into: what it orders stays as recorded.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int word, count;

static void take(void)
{
	for (;;) {
		int old = 1;

		__asm__ volatile("xchg %0, %1" : "+r"(old), "+m"(word) : : "memory");
		if (!old)
			return;
		usleep(1000);
	}
}

static void give(void)
{
	__asm__ volatile("movl $0, %0" : "=m"(word) : : "memory");
}

static void *work(void *delay)
{
	usleep(*(int *)delay);
	take();
	count++;
	give();
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int now = 0, later = 100000;

	pthread_create(&a, NULL, work, &now);
	pthread_create(&b, NULL, work, &later);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", count);
	return 0;
}
