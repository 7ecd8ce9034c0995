/*
 * Functions that want no hooks have none, in whatever words they say so; others do. And the program
 * is not told that it is compiled for a sanitizer.
 *
 * expect: race @seen @seen
 */
#include <pthread.h>
#include <stdio.h>

#if __has_feature(thread_sanitizer)
#error "it can tell"
#endif
#define NOT_SEEN __attribute__((no_sanitize("thread")))

static int seen, counts[4];

NOT_SEEN static void by_macro(void)
{
	counts[0]++;
}

__attribute__((no_sanitize_thread)) static void by_older_name(void)
{
	counts[1]++;
}

__attribute__((disable_sanitizer_instrumentation)) static void by_newer_name(void)
{
	counts[2]++;
}

__attribute__((no_sanitize("address"))) static void of_another(void)
{
	seen++; /* @seen */
}

static void *worker(void *unused)
{
	by_macro();
	by_older_name();
	by_newer_name();
	of_another();
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", counts[0] + counts[1] + counts[2] + seen > 0);
	return 0;
}
