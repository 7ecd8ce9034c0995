/*
 * A mutex of GLib and one of libc, taken in both orders.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * expect: deadlock @a @b
 */
#include <glib.h>
#include <pthread.h>
#include <stdio.h>

static GMutex first;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static int x;

static gpointer forth(gpointer p)
{
	g_mutex_lock(&first);
	pthread_mutex_lock(&second); /* @a */
	x++;
	pthread_mutex_unlock(&second);
	g_mutex_unlock(&first);
	return p;
}

static gpointer back(gpointer p)
{
	pthread_mutex_lock(&second);
	g_mutex_lock(&first); /* @b */
	x++;
	g_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
	return p;
}

int main(void)
{
	GThread *t = g_thread_new("forth", forth, NULL);
	g_usleep(20000);
	GThread *u = g_thread_new("back", back, NULL);
	g_thread_join(t);
	g_thread_join(u);
	printf("%d\n", x);
	return 0;
}
