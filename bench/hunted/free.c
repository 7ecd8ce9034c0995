/* SPDX-License-Identifier: MIT */
/* What is used may have been freed: the flag says so too late. */
#include "lib.h"

static int *data;
static atomic_int gone;

static void *use(void *n)
{
	(void)n;
	if (!atomic_load(&gone))
		assert(get(data) == 7);
	return NULL;
}

static void *drop(void *n)
{
	(void)n;
	set(data, 0);
	atomic_store(&gone, 1);
	return NULL;
}

int main(void)
{
	data = malloc(sizeof(*data));
	*data = 7;
	pthread_create(&threads[0], NULL, use, NULL);
	pthread_create(&threads[1], NULL, drop, NULL);
	join(2);
	free(data);
	return 0;
}
