/* SPDX-License-Identifier: MIT */
/* A stack without a lock: what was popped is popped again. */
#include "lib.h"

static atomic_int top = 2, pops[3];

static void *pop(void *n)
{
	(void)n;
	int at = atomic_load(&top);
	if (at) {
		atomic_store(&top, at - 1);
		assert(atomic_fetch_add(&pops[at], 1) == 0);
	}
	return NULL;
}

int main(void)
{
	start(2, pop);
	join(2);
	return 0;
}
