/*
 * A mutex that its owner may take again, made of two: one that guards who owns it, and the one that
 * is owned. Who enters while another is inside waits for that one and keeps the guard, which
 * the other needs to leave.
 *
 * scenario: sqlite-1672
 * bugs: race,deadlock,stuck
 * expect: deadlock @enter @leave
 * expect: deadlock @enter @again
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER, owned = PTHREAD_MUTEX_INITIALIZER;
static int owner, depth; /* 0: nobody's */
static int pages;

static inline __attribute__((always_inline)) void enter(int self)
{
	pthread_mutex_lock(&guard); /* @again */
	if (owner != self) {
		pthread_mutex_lock(&owned); /* @enter */
		owner = self;
	}
	depth++;
	pthread_mutex_unlock(&guard);
}

static void leave(void)
{
	pthread_mutex_lock(&guard); /* @leave */
	if (--depth == 0) {
		owner = 0;
		pthread_mutex_unlock(&owned);
	}
	pthread_mutex_unlock(&guard);
}

static void *reader(void *unused)
{
	enter(1);
	enter(1);
	pages++;
	leave();
	leave();
	return unused;
}

static void *writer(void *unused)
{
	usleep(100000);
	enter(2);
	pages++;
	leave();
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", pages);
	return 0;
}
