/* No atomic instruction in here: on x86 plain moves acquire and release. */
#include "soak.h"

#include <pthread.h>
#include <sched.h>

enum { MANY = 16 };

static void *boxes[MANY];
static const int *watched[MANY];
static struct {
	int count, last;
} bags[MANY];
static pthread_mutex_t safe = PTHREAD_MUTEX_INITIALIZER;
static void *items[MANY];

void box_put(int n, void *item)
{
	__atomic_store_n(&boxes[n], item, __ATOMIC_RELEASE);
}

void *box_get(int n)
{
	return __atomic_load_n(&boxes[n], __ATOMIC_ACQUIRE);
}

int look(const int *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

int look_behind(int *const *flag)
{
	return look(*flag);
}

void poll_flag(const int *flag)
{
	while (!look(flag))
		sched_yield();
}

void watch(int n, const int *flag)
{
	watched[n] = flag;
}

int is_set(int n)
{
	return look(watched[n]);
}

void store(int *to, int value)
{
	*to = value;
}

void bag_add(int n, int value)
{
	bags[n].count++;
	bags[n].last = value;
}

int bag_count(int n)
{
	return bags[n].count;
}

int bag_last(int n)
{
	return bags[n].last;
}

void safe_put(int n, void *item)
{
	pthread_mutex_lock(&safe);
	items[n] = item;
	pthread_mutex_unlock(&safe);
}

void *safe_get(int n)
{
	pthread_mutex_lock(&safe);
	void *item = items[n];
	pthread_mutex_unlock(&safe);
	return item;
}

int call_back(int (*function)(int), int value)
{
	return function(value);
}
