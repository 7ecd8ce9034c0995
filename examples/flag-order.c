/*
 * Two locks in opposite orders. But the second thread takes them only when it sees that the first
 * is done with them: there is no deadlock.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t flag = PTHREAD_MUTEX_INITIALIZER;
static int x, done;

static void *one(void *unused)
{
	pthread_mutex_lock(&l);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&l);
	pthread_mutex_lock(&flag);
	done = 1;
	pthread_mutex_unlock(&flag);
	return unused;
}

static int is_done(void)
{
	pthread_mutex_lock(&flag);
	int now = done;
	pthread_mutex_unlock(&flag);
	return now;
}

static void *two(void *unused)
{
	while (!is_done())
		usleep(10000);
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&l);
	x++;
	pthread_mutex_unlock(&l);
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", x);
	return 0;
}
