/*
 * A queue that is locked by hand: who waits in it gives its lock back meanwhile.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * expect: nothing
 */
#include <glib.h>
#include <stdio.h>

static GAsyncQueue *queue;
static int count, item = 5;

static gpointer take(gpointer p)
{
	g_async_queue_lock(queue);
	count++;
	int *got = g_async_queue_pop_unlocked(queue);
	count += *got;
	g_async_queue_unlock(queue);
	return p;
}

static gpointer give(gpointer p)
{
	g_async_queue_lock(queue);
	count++;
	item++;
	g_async_queue_push_unlocked(queue, &item);
	g_async_queue_unlock(queue);
	return p;
}

int main(void)
{
	queue = g_async_queue_new();
	GThread *t = g_thread_new("take", take, NULL);
	g_usleep(20000);
	GThread *u = g_thread_new("give", give, NULL);
	g_thread_join(t);
	g_thread_join(u);
	printf("%d\n", count);
	g_async_queue_unref(queue);
	return 0;
}
