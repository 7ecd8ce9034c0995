/*
 * Two mutexes of libuv in both orders: each place is told, not one of the library.
 *
 * flags: -luv -pthread
 * expect: deadlock @a @b
 */
#include <stdio.h>
#include <uv.h>

static uv_mutex_t first, second;
static int x;

static void forth(void *p)
{
	(void)p;
	uv_mutex_lock(&first);
	uv_mutex_lock(&second); /* @a */
	x++;
	uv_mutex_unlock(&second);
	uv_mutex_unlock(&first);
}

static void back(void *p)
{
	(void)p;
	uv_mutex_lock(&second);
	uv_mutex_lock(&first); /* @b */
	x++;
	uv_mutex_unlock(&first);
	uv_mutex_unlock(&second);
}

int main(void)
{
	uv_thread_t t, u;
	uv_mutex_init(&first);
	uv_mutex_init(&second);
	uv_thread_create(&t, forth, NULL);
	uv_sleep(20);
	uv_thread_create(&u, back, NULL);
	uv_thread_join(&t);
	uv_thread_join(&u);
	printf("%d\n", x);
	return 0;
}
