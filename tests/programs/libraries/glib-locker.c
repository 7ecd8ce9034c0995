/*
 * What is locked by a GMutexLocker, and given back wherever its scope is left; and what is asked
 * for under a lock with a function whose address was taken.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * expect: race @a @b
 */
#include <glib.h>
#include <stdio.h>

static GMutex mutex;
static int ready, data;
static volatile int racy;
static void (*volatile take)(GMutex *) = g_mutex_lock;
static void (*volatile give)(GMutex *) = g_mutex_unlock;

static int is_ready(void)
{
	g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&mutex);
	(void)locker;
	return ready;
}

static gpointer writer(gpointer p)
{
	data = 42;
	racy = 1; /* @a */
	take(&mutex);
	ready = 1;
	give(&mutex);
	return p;
}

int main(void)
{
	GThread *t = g_thread_new("writer", writer, NULL);
	int early = racy; /* @b */
	while (!is_ready())
		g_usleep(100);
	printf("%d\n", data + (early > 1));
	g_thread_join(t);
	return 0;
}
