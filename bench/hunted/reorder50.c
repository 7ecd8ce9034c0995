/* SPDX-License-Identifier: MIT */
/* 50 threads set two variables, and one looks between. */
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
	for (int i = 0; i < 50; i++)
		pthread_create(&threads[i], NULL, i < 50 - 1 ? setter : checker, NULL);
	join(50);
	return 0;
}
