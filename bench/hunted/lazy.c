/* SPDX-License-Identifier: MIT */
/* Lazy initialisation by two at once. */
#include "lib.h"

static atomic_int made, object;

static void *use(void *n)
{
	(void)n;
	if (!atomic_load(&object)) {
		atomic_fetch_add(&made, 1);
		atomic_store(&object, 1);
	}
	return NULL;
}

int main(void)
{
	start(2, use);
	join(2);
	assert(atomic_load(&made) == 1);
	return 0;
}
