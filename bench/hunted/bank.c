/* SPDX-License-Identifier: MIT */
/* A transfer of which an audit sees one half. */
#include "lib.h"

static int from = 100, to;

static void *transfer(void *n)
{
	(void)n;
	set(&from, get(&from) - 30);
	set(&to, get(&to) + 30);
	return NULL;
}

static void *audit(void *n)
{
	(void)n;
	assert(get(&from) + get(&to) == 100);
	return NULL;
}

int main(void)
{
	pthread_create(&threads[0], NULL, audit, NULL);
	pthread_create(&threads[1], NULL, transfer, NULL);
	join(2);
	return 0;
}
