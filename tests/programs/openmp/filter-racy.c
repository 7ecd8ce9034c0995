/*
 * The thread that is named writes, and all read without waiting.
 *
 * expect: race @a @b
 */
#include <stdio.h>


int x, sum;

int main(void)
{
#pragma omp parallel
	{
#pragma omp masked filter(1)
		x = 1; /* @a */
#pragma omp critical
		sum += x; /* @b */
	}
	printf("%d\n", sum >= 0);
	return 0;
}
