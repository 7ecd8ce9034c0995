/*
 * The program ends by abort, while another thread still runs.
 *
 * status: 134
 * expect: race @one @two
 * expect: seen-crash @crash
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int x, y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused)
{
	x = 1; /* @one */
	for (;;) {
		pthread_mutex_lock(&lock);
		y++;
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
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
	pthread_join(b, NULL);
	abort(); /* @crash */
	return 0;
}
