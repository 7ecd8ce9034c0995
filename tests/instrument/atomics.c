/* C11 atomics of all sizes and operations. */
#include <stdatomic.h>
#include <stdio.h>

static _Atomic unsigned char c = 200;
static _Atomic short s = -3;
static _Atomic int i = 5;
static _Atomic unsigned long l = 1ul << 40;
static _Atomic(int *) p;
static _Atomic double d = 0.5;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int place[4];

static int max_of(int v)
{
	int old = atomic_load_explicit(&i, memory_order_relaxed);
	while (old < v && !atomic_compare_exchange_weak_explicit(&i, &old, v, memory_order_acq_rel,
								 memory_order_acquire))
		;
	return old;
}

int main(void)
{
	for (int n = 0; n < 12; n++) {
		c += 17;
		c ^= (unsigned char)n;
		atomic_fetch_sub(&s, n);
		atomic_fetch_or_explicit(&l, 1ul << n, memory_order_release);
		atomic_fetch_and(&l, ~(2ul << n));
		atomic_store_explicit(&p, &place[n % 4], memory_order_release);
		*atomic_load_explicit(&p, memory_order_acquire) += max_of(n * 3);
		d += 0.25;
		int expected = n;
		_Bool swapped = atomic_compare_exchange_strong(&i, &expected, n * 2);
		place[0] += swapped ? expected : -expected;
		place[1] += atomic_flag_test_and_set(&flag);
		if (n % 3 == 0)
			atomic_flag_clear(&flag);
		place[2] += __sync_val_compare_and_swap(&place[3], n, n + 1);
		place[3] += (int)__atomic_fetch_nand((unsigned long *)&l, 12ul, __ATOMIC_SEQ_CST);
		__atomic_fetch_max(&place[1], n * 2, __ATOMIC_RELAXED);
		__atomic_fetch_min(&place[0], 100 - n, __ATOMIC_RELAXED);
		atomic_thread_fence(memory_order_seq_cst);
		atomic_exchange(&s, s + 1);
	}
	printf("%d %d %d %lu %g %d %d %d %d\n", c, s, i, l, d, place[0], place[1], place[2],
	       place[3]);
	return 0;
}
