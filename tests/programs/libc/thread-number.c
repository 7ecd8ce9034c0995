/*
 * pthread_create stores the number of a thread before that runs; and C11's and a read by the thread
 * is no race. A thread that was there before may read it any time.
 *
 * expect: race @create @read
 */
#include <pthread.h>
#include <stdio.h>
#include <threads.h>

static pthread_t own, others;
static thrd_t c11;
static int right, right_c11;
int seen;

static void *looks_at_own(void *unused)
{
	right = pthread_equal(own, pthread_self()) != 0;
	return unused;
}

static int looks_at_c11(void *unused)
{
	(void)unused;
	right_c11 = thrd_equal(c11, thrd_current()) != 0;
	return 0;
}

static void *looks_at_others(void *unused)
{
	seen = others != 0; /* @read */
	return unused;
}

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t early;

	pthread_create(&own, NULL, looks_at_own, NULL);
	thrd_create(&c11, looks_at_c11, NULL);
	pthread_create(&early, NULL, looks_at_others, NULL);
	pthread_create(&others, NULL, nothing, NULL); /* @create */
	pthread_join(own, NULL);
	thrd_join(c11, NULL);
	pthread_join(early, NULL);
	pthread_join(others, NULL);
	printf("%d %d\n", right, right_c11);
	return 0;
}
