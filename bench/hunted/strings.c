/* SPDX-License-Identifier: MIT */
/* A string buffer whose length is asked for before it is copied. */
#include "lib.h"

static int length = 4;

static void *append(void *n)
{
	(void)n;
	int asked = get(&length);
	assert(asked == get(&length));
	return NULL;
}

static void *erase(void *n)
{
	(void)n;
	set(&length, 0);
	return NULL;
}

int main(void)
{
	pthread_create(&threads[0], NULL, append, NULL);
	pthread_create(&threads[1], NULL, erase, NULL);
	join(2);
	return 0;
}
