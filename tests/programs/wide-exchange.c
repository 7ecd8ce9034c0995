/*
 * A compare and swap of 16 bytes in the code itself: it keeps its order, too.
 *
 * expect: nothing
 * flags: -mcx16
 */
#include <pthread.h>
#include <stdio.h>

__extension__ typedef unsigned __int128 wide;

static wide word;
static int count;

static void take(void)
{
	while (!__sync_bool_compare_and_swap(&word, 0, (wide)1 << 64))
		;
}

static void give(void)
{
	__sync_lock_release(&word);
}

static void *work(void *unused)
{
	for (int i = 0; i < 3; i++) {
		take();
		count++;
		give();
	}
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", count);
	return 0;
}
