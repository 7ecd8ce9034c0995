/*
 * Items that go through a queue belong to who has them. What is not handed over with one races, also
 * if another one of the same queue was.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * expect: race @a @b
 */
#include <glib.h>
#include <stdio.h>

struct item {
	int value, answer;
};

static GAsyncQueue *work, *done;
static struct item first = {1, 0}, second = {2, 0};
static volatile int racy;

static gpointer put_first(gpointer p)
{
	first.value = 3;
	g_async_queue_push(work, &first);
	return p;
}

static gpointer put_second(gpointer p)
{
	second.value = 4;
	racy = 1; /* @a */
	g_async_queue_push(work, &second);
	return p;
}

/* Each takes one. */
static gpointer take(gpointer p)
{
	struct item *item = g_async_queue_pop(work);
	item->answer = item->value * 2;
	if (item == &first)
		item->answer += racy > 1; /* @b */
	g_async_queue_push(done, item);
	return p;
}

int main(void)
{
	GThread *threads[4];
	int sum = 0;
	work = g_async_queue_new();
	done = g_async_queue_new();
	threads[0] = g_thread_new("first", put_first, NULL);
	threads[1] = g_thread_new("second", put_second, NULL);
	threads[2] = g_thread_new("one", take, NULL);
	threads[3] = g_thread_new("two", take, NULL);
	for (int i = 0; i < 2; i++) {
		struct item *item;
		while (!(item = g_async_queue_timeout_pop(done, 10000)))
			;
		sum += item->answer;
	}
	for (int i = 0; i < 4; i++)
		g_thread_join(threads[i]);
	printf("%d\n", sum);
	g_async_queue_unref(work);
	g_async_queue_unref(done);
	return 0;
}
