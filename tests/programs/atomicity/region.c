/*
 * Each pattern in a region of its own, by norn.h: what T1 does twice, T2 does once in between. All
 * variables are atomic, so that nothing races. The last one is kept apart by a lock.
 */
#include <norn.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int rwr, rww, wwr, wrw, www, rrw, locked;
int sum; /* of what was read, so that nobody leaves it out */

static void *twice(void *unused)
{
	NORN_ATOMIC_BEGIN();
	sum += rwr;
	sum += rwr;
	sum += rww;
	rww = 1;
	wwr = 1;
	sum += wwr;
	wrw = 1;
	wrw = 2;
	www = 1;
	www = 2;
	sum += rrw;
	rrw = 1;
	NORN_ATOMIC_END();
	NORN_ATOMIC_BEGIN();
	pthread_mutex_lock(&lock);
	sum += locked;
	locked = 1;
	pthread_mutex_unlock(&lock);
	NORN_ATOMIC_END();
	return unused;
}

static void *once(void *unused)
{
	int read = 0;

	rwr = 3;
	rww = 3;
	wwr = 3;
	read += wrw;
	www = 3;
	read += rrw;
	pthread_mutex_lock(&lock);
	locked = 3;
	pthread_mutex_unlock(&lock);
	return read < 0 ? unused : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, twice, NULL);
	pthread_create(&b, NULL, once, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	sum += www;
	return 0;
}
