/*
 * Other ways to join: with a time limit, by trying, by a destructor of thread-specific data; a
 * thread joins another than its own.
 *
 * expect: nothing
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_key_t key;
static int x, y, z;
static pthread_t first;

static void destroy(void *p)
{
	z = *(int *)p;
}

static void *work(void *p)
{
	pthread_setspecific(key, p);
	++*(int *)p;
	return NULL;
}

static void *joiner(void *unused)
{
	pthread_join(first, NULL);
	y = x + z;
	return unused;
}

int main(void)
{
	struct timespec soon;
	pthread_t second;

	pthread_key_create(&key, destroy);
	pthread_create(&first, NULL, work, &x);
	while (pthread_tryjoin_np(first, NULL))
		usleep(1000);
	x++;
	pthread_create(&first, NULL, work, &x);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec += 50;
	pthread_timedjoin_np(first, NULL, &soon);
	x++;
	pthread_create(&first, NULL, work, &x);
	pthread_create(&second, NULL, joiner, NULL);
	pthread_join(second, NULL);
	printf("%d %d %d\n", x, y, z);
	return 0;
}
