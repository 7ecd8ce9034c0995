/*
 * What fields and conditions depend on. The main thread changes `shared` and `watched` without a lock;
 * the other one reads the first, and of the second the address alone.
 */
#include <pthread.h>
#include <unistd.h>

int shared = 1, watched = 2, mine = 3;

static void word(int n)
{
	(void)n;
}

static void value(int n)
{
	(void)n;
}

static void condition(int n)
{
	(void)n;
}

static void look(int *p)
{
	(void)p;
}

static void unknown(int n)
{
	(void)n;
}

/* Nobody knows what comes out of it. */
static int opaque(int n)
{
	__asm__("" : "+r"(n));
	return n;
}

static void *worker(void *unused)
{
	int n = shared;

	word(n);
	condition(n);
	value(n + 1);
	look(&watched);
	look(&mine);
	unknown(opaque(4));
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, worker, NULL);
	usleep(20000);
	shared = 5;
	watched = 6;
	pthread_join(thread, NULL);
	return 0;
}
