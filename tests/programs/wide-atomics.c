/*
 * Atomic accesses for which compilers call libatomic: of 16 bytes, by value and through memory, and
 * of 24 bytes. Their order stays as recorded: what one hands over is not raced for.
 *
 * expect: race @one @two
 * flags: -latomic
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

__extension__ typedef unsigned __int128 wide;

struct pair {
	int *data;
	long tag;
};

struct triple {
	long tag[3];
};

static _Atomic(struct pair) handed;
static _Atomic(struct triple) three;
static _Atomic wide flags;
static int by_pair, by_triple, by_flag, plain;

static void *one(void *unused)
{
	by_pair = 1;
	atomic_store(&handed, ((struct pair){&by_pair, 1}));
	by_triple = 2;
	struct triple none = {{0, 0, 0}}, some = {{1, 2, 3}};

	while (!atomic_compare_exchange_weak(&three, &none, some))
		;
	by_flag = 3;
	atomic_fetch_or(&flags, (wide)1 << 100);
	plain = 4; /* @one */
	return unused;
}

int main(void)
{
	pthread_t thread;
	struct pair got;
	struct triple seen;

	pthread_create(&thread, NULL, one, NULL);
	while (!(got = atomic_load(&handed)).tag)
		usleep(1000);
	int sum = *got.data;

	while (!(seen = atomic_exchange(&three, ((struct triple){{0, 0, 0}}))).tag[2])
		usleep(1000);
	sum += by_triple;
	while (!(atomic_load(&flags) >> 100))
		usleep(1000);
	sum += by_flag;
	usleep(100000);
	sum += plain; /* @two */
	pthread_join(thread, NULL);
	printf("%d\n", sum);
	return 0;
}
