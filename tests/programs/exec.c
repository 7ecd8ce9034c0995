/*
 * The program becomes another one; what was recorded until then stays.
 *
 * expect: race @one @two
 * expect: undecided
 */
#include <pthread.h>
#include <unistd.h>

int x;

static void *one(void *unused)
{
	x = 1; /* @one */
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	x = 2; /* @two */
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	execlp("echo", "echo", "another", (char *)NULL);
	return 1;
}
