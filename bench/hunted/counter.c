/* SPDX-License-Identifier: MIT */
/* Three increments without a lock, of which the sum is at least two. */
#include "lib.h"

static atomic_int sum;

static void *add(void *n)
{
	(void)n;
	int value = atomic_load(&sum);
	atomic_store(&sum, value + 1);
	return NULL;
}

int main(void)
{
	start(3, add);
	join(3);
	assert(atomic_load(&sum) >= 2);
	return 0;
}
