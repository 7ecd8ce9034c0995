/*
 * A slot that is filled and emptied by two threads with GCond, and a wait with a limit.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * expect: race @a @b
 */
#include <glib.h>
#include <stdio.h>

static GMutex mutex;
static GCond filled, emptied;
static int slot, full, sum;
static volatile int racy;

static gpointer produce(gpointer p)
{
	for (int i = 1; i <= 5; i++) {
		g_mutex_lock(&mutex);
		while (full)
			g_cond_wait(&emptied, &mutex);
		slot = i;
		full = 1;
		g_cond_signal(&filled);
		g_mutex_unlock(&mutex);
	}
	racy = 1; /* @a */
	return p;
}

static gpointer consume(gpointer p)
{
	for (int i = 1; i <= 5; i++) {
		g_mutex_lock(&mutex);
		while (!full) {
			gint64 until = g_get_monotonic_time() + 10 * G_TIME_SPAN_SECOND;
			if (!g_cond_wait_until(&filled, &mutex, until))
				printf("late\n");
		}
		sum += slot;
		full = 0;
		g_cond_broadcast(&emptied);
		g_mutex_unlock(&mutex);
	}
	return p;
}

int main(void)
{
	GThread *t = g_thread_new("produce", produce, NULL);
	GThread *u = g_thread_new("consume", consume, NULL);
	g_thread_join(u);
	racy = 2; /* @b */
	g_thread_join(t);
	printf("%d %d\n", sum, racy > 0);
	return 0;
}
