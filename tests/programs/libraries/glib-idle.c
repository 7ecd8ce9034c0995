/*
 * A thread has something done by the main loop's thread, with data of its own.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * expect: race @a @b
 */
#include <glib.h>
#include <stdio.h>

struct message {
	int value;
};

static GMainLoop *loop;
static int sum;
static volatile int racy;

static gboolean receive(gpointer data)
{
	struct message *message = data;
	sum += message->value;
	g_free(message);
	if (sum == 42)
		g_main_loop_quit(loop);
	return G_SOURCE_REMOVE;
}

static gpointer sender(gpointer p)
{
	for (int i = 0; i < 2; i++) {
		struct message *message = g_new(struct message, 1);
		message->value = 21;
		g_idle_add(receive, message);
	}
	racy = 1; /* @a */
	return p;
}

int main(void)
{
	loop = g_main_loop_new(NULL, FALSE);
	GThread *t = g_thread_new("sender", sender, NULL);
	g_main_loop_run(loop);
	racy = 2; /* @b */
	g_thread_join(t);
	printf("%d\n", sum);
	g_main_loop_unref(loop);
	return 0;
}
