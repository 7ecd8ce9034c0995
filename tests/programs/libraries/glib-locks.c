/*
 * Locks of GLib: a mutex, a recursive one, one for readers and writers, and one in a bit. What is
 * not under one of them races.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * expect: race @a @a
 */
#include <glib.h>
#include <stdio.h>

static GMutex mutex;
static GRecMutex recursive;
static GRWLock shared;
static gint bits;
static int a, b, c, d, sum;
static volatile int racy;

static void inner(void)
{
	g_rec_mutex_lock(&recursive);
	b++;
	g_rec_mutex_unlock(&recursive);
}

static gpointer work(gpointer p)
{
	g_mutex_lock(&mutex);
	a++;
	g_mutex_unlock(&mutex);

	g_rec_mutex_lock(&recursive);
	inner();
	b++;
	g_rec_mutex_unlock(&recursive);

	g_rw_lock_writer_lock(&shared);
	c++;
	g_rw_lock_writer_unlock(&shared);
	g_rw_lock_reader_lock(&shared);
	int seen = c;
	g_rw_lock_reader_unlock(&shared);

	g_bit_lock(&bits, 3);
	d++;
	g_bit_unlock(&bits, 3);

	if (g_mutex_trylock(&mutex)) {
		sum += seen > 0;
		g_mutex_unlock(&mutex);
	}
	racy = 1; /* @a */
	return p;
}

int main(void)
{
	GThread *t = g_thread_new("one", work, NULL), *u = g_thread_new("two", work, NULL);
	g_thread_join(t);
	g_thread_join(u);
	printf("%d %d %d %d %d\n", a, b, c, d, racy);
	return 0;
}
