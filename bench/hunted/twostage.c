/* SPDX-License-Identifier: MIT */
/* Two variables that belong together, in two sections. */
#include "lib.h"

static int first, second;

static void *write_both(void *n)
{
	(void)n;
	set(&first, 1);
	set(&second, 2);
	return NULL;
}

static void *read_both(void *n)
{
	(void)n;
	int one = get(&first);
	if (one)
		assert(get(&second) == one + 1);
	return NULL;
}

int main(void)
{
	pthread_create(&threads[0], NULL, read_both, NULL);
	pthread_create(&threads[1], NULL, write_both, NULL);
	join(2);
	return 0;
}
