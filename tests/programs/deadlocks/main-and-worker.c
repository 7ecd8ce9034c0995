/*
 * Main and its worker take two mutexes in opposite orders, and each takes others in between; main
 * holds them until after the worker is created.
 *
 * scenario: tsandl1
 * bugs: race,deadlock,stuck
 * expect: deadlock @main @worker
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER, item = PTHREAD_MUTEX_INITIALIZER;
static int lines, items;

static void add_line(void)
{
	pthread_mutex_lock(&log_lock);
	lines++;
	pthread_mutex_unlock(&log_lock);
}

static void *worker(void *unused)
{
	pthread_mutex_lock(&item);
	add_line();
	pthread_mutex_lock(&list); /* @worker */
	items++;
	pthread_mutex_unlock(&list);
	add_line();
	pthread_mutex_unlock(&item);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_mutex_lock(&list);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_mutex_unlock(&list);
	usleep(100000);
	pthread_mutex_lock(&list);
	add_line();
	pthread_mutex_lock(&item); /* @main */
	items++;
	pthread_mutex_unlock(&item);
	pthread_mutex_unlock(&list);
	pthread_join(thread, NULL);
	printf("%d %d\n", lines, items);
	return 0;
}
