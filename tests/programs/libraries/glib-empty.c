/*
 * Who finds a queue empty under a lock does what others do only after they have put something in:
 * no race, since then it would not have been empty.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * output: varies
 * expect: nothing
 */
#include <glib.h>
#include <stdio.h>

static GMutex mutex;
static GAsyncQueue *queue;
static int data;

static gpointer put(gpointer p)
{
	g_mutex_lock(&mutex);
	g_async_queue_push(queue, &data);
	g_mutex_unlock(&mutex);
	data++;
	return p;
}

static gpointer look(gpointer p)
{
	g_mutex_lock(&mutex);
	if (!g_async_queue_try_pop(queue))
		data++;
	g_mutex_unlock(&mutex);
	return p;
}

static gpointer count(gpointer p)
{
	g_mutex_lock(&mutex);
	if (g_async_queue_length(queue) == 0)
		data++;
	g_mutex_unlock(&mutex);
	return p;
}

int main(void)
{
	queue = g_async_queue_new();
	GThread *t = g_thread_new("look", look, NULL);
	g_thread_join(t);
	t = g_thread_new("count", count, NULL);
	g_usleep(20000);
	GThread *u = g_thread_new("put", put, NULL);
	g_thread_join(t);
	g_thread_join(u);
	printf("%d\n", data);
	return 0;
}
