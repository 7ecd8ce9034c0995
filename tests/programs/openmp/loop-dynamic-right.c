/*
 * dynamic, guided and runtime; by steps, downwards, unsigned and long.
 *
 * expect: nothing
 */
#include <stdio.h>


int a[64];

int main(void)
{
	unsigned long n = 0;
#pragma omp parallel
	{
#pragma omp for schedule(dynamic, 3)
		for (int i = 0; i < 64; i += 2)
			a[i] = i;
#pragma omp for schedule(guided)
		for (unsigned i = 0; i < 64; i++)
			a[i] += 1;
#pragma omp for schedule(runtime) reduction(+ : n)
		for (long i = 63; i >= 0; i--)
			n += (unsigned long)a[i];
#pragma omp for schedule(nonmonotonic : dynamic)
		for (unsigned long i = 10; i < 20; i++)
			a[i] = 0;
	}
	printf("%lu %d\n", n, a[15]);
	return 0;
}
