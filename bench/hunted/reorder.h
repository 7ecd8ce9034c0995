/* SPDX-License-Identifier: MIT */
/* All but one of THREADS set two variables, and the last one looks between. */
#include "lib.h"

static atomic_int a, b;

static void *setter(void *n)
{
	(void)n;
	atomic_store(&a, 1);
	atomic_store(&b, -1);
	return NULL;
}

static void *checker(void *n)
{
	(void)n;
	int x = atomic_load(&a), y = atomic_load(&b);
	assert((x == 0 && y == 0) || (x == 1 && y == -1));
	return NULL;
}

int main(void)
{
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, i < THREADS - 1 ? setter : checker, NULL);
	join(THREADS);
	return 0;
}
