/* SPDX-License-Identifier: MIT */
/* The else of a try-lock forgets to count. */
#include "lib.h"

static int count;

static void *add(void *n)
{
	(void)n;
	if (!pthread_mutex_trylock(&lock)) {
		count++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	start(2, add);
	join(2);
	assert(count == 2);
	return 0;
}
