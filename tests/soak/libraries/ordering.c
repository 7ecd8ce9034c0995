#include "soak.h"

#include <sched.h>
#include <stdatomic.h>

enum { MANY = 16 };

static struct {
	atomic_int next, serving;
} tickets[MANY];
static void *_Atomic mail[MANY];
static atomic_int posts[MANY];

void ticket_lock(int n)
{
	int mine = atomic_fetch_add(&tickets[n].next, 1);

	while (atomic_load(&tickets[n].serving) != mine)
		sched_yield();
}

void ticket_unlock(int n)
{
	atomic_fetch_add(&tickets[n].serving, 1);
}

void word_lock(int *word)
{
	while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

void word_unlock(int *word)
{
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

void mail_put(int n, void *item)
{
	atomic_exchange(&mail[n], item);
}

void *mail_take(int n)
{
	return atomic_exchange(&mail[n], 0);
}

void post(int n)
{
	atomic_fetch_add(&posts[n], 1);
}

int posted(int n)
{
	return atomic_load(&posts[n]);
}

void await_post(int n)
{
	while (!atomic_load(&posts[n]))
		sched_yield();
}
