/*
 * Tasks write by the number of their worker, but not all of them.
 *
 * expect: race @a @b
 */
#include <omp.h>
#include <stdio.h>


int part[64];

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		part[0]++; /* @a */
#pragma omp task
		part[0] = 2; /* @b */
	}
	printf("%d\n", part[0] > 0);
	return 0;
}
