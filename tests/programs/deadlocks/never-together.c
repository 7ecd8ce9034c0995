/*
 * Two mutexes in opposite orders: one order by main before it creates the other thread, the other
 * by that one, the first again by main when it has joined it; and main takes both orders itself.
 * None of these can be under way together.
 *
 * scenario: tc13
 * bugs: race,deadlock,stuck
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, p = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void m_then_p(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&p);
	count++;
	pthread_mutex_unlock(&p);
	pthread_mutex_unlock(&m);
}

static void p_then_m(void)
{
	pthread_mutex_lock(&p);
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&p);
}

static void *other(void *unused)
{
	p_then_m();
	return unused;
}

int main(void)
{
	pthread_t thread;

	m_then_p();
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	m_then_p();
	p_then_m();
	printf("%d\n", count);
	return 0;
}
