/*
 * What is made once, by whoever comes first, is there for all.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * expect: nothing
 */
#include <glib.h>
#include <stdio.h>

static int table[4];

static int *get_table(void)
{
	static gsize made;
	if (g_once_init_enter(&made)) {
		for (int i = 0; i < 4; i++)
			table[i] = i * i;
		g_once_init_leave(&made, 1);
	}
	return table;
}

static gpointer work(gpointer p)
{
	*(int *)p = get_table()[3];
	return NULL;
}

int main(void)
{
	int x, y;
	GThread *t = g_thread_new("one", work, &x), *u = g_thread_new("two", work, &y);
	g_thread_join(t);
	g_thread_join(u);
	printf("%d\n", x + y);
	return 0;
}
