/* SPDX-License-Identifier: MIT */
/* qsort, bsearch, lfind: the same comparisons and results as libc, every move logged. */
#include "runtime/libc/replaced.h"
#include "support/random.h"
#include "support/ranges_log.h"
#include "support/tap.h"

static unsigned compared;

static int by_first_byte(const void *a, const void *b)
{
	compared++;
	return (int)*(const unsigned char *)a - *(const unsigned char *)b;
}

static int by_first_byte_down(const void *a, const void *b, void *argument)
{
	++*(unsigned *)argument;
	return -by_first_byte(a, b);
}

TAP_CASE(arrays_are_sorted_as_by_libc)
{
	enum { SIZE = 20000 };
	static char ours[SIZE], libcs[SIZE], before[SIZE];
	struct random random = random_seeded(1);
	for (int round = 0; round < TAP_PART(3000); round++) {
		size_t size = 1 + random_below(&random, 40), n = random_below(&random, 120);
		unsigned calls = 0;
		tap_at("round %d: %zu of %zu bytes", round, n, size);
		for (size_t i = 0; i < SIZE; i++)
			before[i] = ours[i] = libcs[i] =
				(char)random_below(&random, 256) & (round % 2 ? 3 : 255);
		ranges_log_clear();
		if (round % 3) {
			compared = 0;
			__norn_qsort(ours + round % 9, n, size, by_first_byte);
			ASSERT_EQ(ranges_log.branches, compared);
			qsort(libcs + round % 9, n, size, by_first_byte);
		} else {
			__norn_qsort_r(ours + round % 9, n, size, by_first_byte_down, &calls);
			ASSERT_EQ(ranges_log.branches, calls);
			qsort_r(libcs + round % 9, n, size, by_first_byte_down, &calls);
		}
		ASSERT_TRUE(!memcmp(ours, libcs, SIZE)); /* libc's is stable, and so is ours */
		ranges_log_replay(ours, before, SIZE);
		ASSERT_TRUE(!memcmp(ours, before, SIZE));
	}
}

TAP_CASE(arrays_are_searched_as_by_libc)
{
	struct random random = random_seeded(2);
	for (int round = 0; round < TAP_PART(20000); round++) {
		unsigned char array[64 * 4] = {0}, key = (unsigned char)random_below(&random, 70);
		size_t n = random_below(&random, 63), got_n = n, want_n = n;
		for (size_t i = 0; i < n; i++)
			array[i * 4] = (unsigned char)(i + random_below(&random, 2));
		qsort(array, n, 4, by_first_byte);
		ASSERT_TRUE(__norn_bsearch(&key, array, n, 4, by_first_byte) ==
			    bsearch(&key, array, n, 4, by_first_byte));
		ASSERT_TRUE(__norn_lfind(&key, array, &got_n, 4, by_first_byte) ==
			    lfind(&key, array, &want_n, 4, by_first_byte));
		unsigned char copy[sizeof array], whole_key[4] = {key, 1, 2, 3};
		memcpy(copy, array, sizeof copy);
		ranges_log_clear();
		unsigned char *got = __norn_lsearch(whole_key, array, &got_n, 4, by_first_byte);
		unsigned char *want = lsearch(whole_key, copy, &want_n, 4, by_first_byte);
		ASSERT_EQ(got - array, want - copy);
		ASSERT_EQ(got_n, want_n);
		ASSERT_TRUE(!memcmp(array, copy, sizeof array));
		ASSERT_EQ(ranges_log_bytes(true, array, sizeof array), got_n == n ? 0 : 4);
	}
}
