/*
 * A main loop gets an idle function from another thread, and is left because of it. What that
 * thread does afterwards is not ordered.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * expect: race @a @b
 */
#include <glib.h>
#include <stdio.h>

static GMainLoop *loop;
static int handed;
static volatile int racy;

static gboolean idle(gpointer p)
{
	(void)p;
	handed++;
	racy = 1; /* @a */
	g_main_loop_quit(loop);
	return FALSE;
}

static gpointer run(gpointer p)
{
	handed = 1;
	g_idle_add(idle, &handed);
	racy = 2; /* @b */
	return p;
}

int main(void)
{
	loop = g_main_loop_new(NULL, FALSE);
	GThread *thread = g_thread_new("run", run, NULL);
	g_main_loop_run(loop);
	g_thread_join(thread);
	g_main_loop_unref(loop);
	printf("%d %d\n", handed, racy > 0);
	return 0;
}
