/*
 * Ways in which one thread tells another: the first writes data and tells, the second waits for that and reads. The
 * program has `behind` and `before`, which write its twin on both sides of that, and so race. They read nothing: what
 * was read before would be kept by all that the record does not know.
 */
#include <pthread.h>
#include <unistd.h>

static int data, seen;
static volatile int twin;
static void behind(void), before(void);

#define POLL(condition)     \
	while (condition)   \
		usleep(500)

/* name, what is done at first, how the one tells, how the other waits for it; a line each, so that
 * their accesses are told apart */
#define WAY(name, begin, tell, wait)        \
	static void begins_##name(void)     \
	{                                   \
		begin;                      \
	}                                   \
	static void *tells_##name(void *p)  \
	{                                   \
		data++;                     \
		tell;                       \
		behind();                   \
		return p;                   \
	}                                   \
	static void *waits_##name(void *p)  \
	{                                   \
		before();                   \
		wait;                       \
		seen += data;               \
		return p;                   \
	}

static void run(void *(*tells)(void *), void *(*waits)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, tells, NULL);
	pthread_create(&b, NULL, waits, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

#define RUN(name)        \
	begins_##name(); \
	run(tells_##name, waits_##name)
