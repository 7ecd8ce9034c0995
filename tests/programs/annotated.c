/*
 * What norn.h can say: a lock made by hand, an order that Norn cannot see, a race that is no bug.
 *
 * expect: nothing
 */
#include <norn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int mine, counted, handed, statistics;

static void take(void)
{
	while (__atomic_exchange_n(&mine, 1, __ATOMIC_ACQUIRE))
		usleep(10);
	NORN_LOCKED(&mine);
}

static void give(void)
{
	NORN_UNLOCKING(&mine);
	__atomic_store_n(&mine, 0, __ATOMIC_RELEASE);
}

static void *one(void *unused)
{
	NORN_MARK("one begins");
	statistics++;
	take();
	counted++;
	give();
	handed = 5;
	NORN_HAPPENS_BEFORE(&handed);
	return unused;
}

static void *two(void *unused)
{
	usleep(100000); /* stands for a way that Norn does not know */
	NORN_HAPPENS_AFTER(&handed);
	statistics++;
	take();
	counted++;
	give();
	return (void *)(long)(handed + (unused != NULL));
}

int main(void)
{
	pthread_t a, b;
	void *got;

	NORN_BENIGN(&statistics, sizeof(statistics));
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, &got);
	printf("%d %d %ld\n", counted, statistics, (long)got);
	return 0;
}
