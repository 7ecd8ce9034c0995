/*
 * A thread sends to a loop; what it did before is there in the callback.
 *
 * flags: -luv -pthread
 * expect: race @a @b
 */
#include <stdio.h>
#include <uv.h>

static uv_async_t async;
static int message, seen;
static volatile int racy;

static void receive(uv_async_t *handle)
{
	seen = message;
	racy = 2; /* @b */
	uv_close((uv_handle_t *)handle, NULL);
}

static void sender(void *p)
{
	(void)p;
	message = 42;
	uv_async_send(&async);
	racy = 1; /* @a */
}

int main(void)
{
	uv_thread_t t;
	uv_async_init(uv_default_loop(), &async, receive);
	uv_thread_create(&t, sender, NULL);
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
	uv_thread_join(&t);
	printf("%d %d\n", seen, racy > 0);
	return 0;
}
