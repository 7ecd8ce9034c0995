/* SPDX-License-Identifier: MIT */
/* Mutual exclusion by two flags, which are looked at before they are set. */
#include "lib.h"

static atomic_int wants[2], inside;

static void *enter(void *n)
{
	int me = (int)(long)n;
	if (!atomic_load(&wants[1 - me])) {
		atomic_store(&wants[me], 1);
		assert(atomic_fetch_add(&inside, 1) == 0);
		atomic_fetch_sub(&inside, 1);
		atomic_store(&wants[me], 0);
	}
	return NULL;
}

int main(void)
{
	start(2, enter);
	join(2);
	return 0;
}
