/* SPDX-License-Identifier: MIT */
/* What is sorted, and sorting it. */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

/*
 * The first i of from … end - 1 for which `before`, an expression of i, is false; or end. It has to
 * be true up to some place, and false from there on.
 */
#define LOWER_BOUND(i, from, end, before)                                                   \
	({                                                                                  \
		__typeof__((from) + (end)) bound_low = (from), bound_high = (end);          \
		while (bound_low < bound_high) {                                            \
			__typeof__(bound_low) i = bound_low + (bound_high - bound_low) / 2; \
			if (before)                                                         \
				bound_low = i + 1;                                          \
			else                                                                \
				bound_high = i;                                             \
		}                                                                           \
		bound_low;                                                                  \
	})

/* For qsort: numbers, ascending. */
int sorted_compare_u32(const void *a, const void *b);
int sorted_compare_u64(const void *a, const void *b);

#endif
