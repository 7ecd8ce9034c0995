/*
 * A thread has things done by the main loop's thread, some time later or in a source of its own.
 * What it does behind that is not ordered.
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
	if (message->value == 1)
		racy = 1; /* @a */
	if (sum == 7)
		g_main_loop_quit(loop);
	return G_SOURCE_REMOVE;
}

static gpointer sender(gpointer p)
{
	static struct message messages[3];

	messages[0].value = 1;
	g_timeout_add(1, receive, &messages[0]);
	g_usleep(100000);
	messages[1].value = 2;
	g_main_context_invoke(NULL, receive, &messages[1]);
	racy = 2; /* @b */
	messages[2].value = 4;
	GSource *source = g_idle_source_new();
	g_source_set_callback(source, receive, &messages[2], NULL);
	g_source_attach(source, NULL);
	g_source_unref(source);
	return p;
}

int main(void)
{
	loop = g_main_loop_new(NULL, FALSE);
	GThread *t = g_thread_new("sender", sender, NULL);
	g_main_loop_run(loop);
	g_thread_join(t);
	printf("%d\n", sum);
	g_main_loop_unref(loop);
	return 0;
}
