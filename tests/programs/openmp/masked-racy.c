/*
 * The first thread writes, and nobody waits for it.
 *
 * expect: race @a @b
 */
#include <stdio.h>


int x, y;

int main(void)
{
#pragma omp parallel
	{
#pragma omp masked
		x = 1; /* @a */
#pragma omp critical
		y += x; /* @b */
	}
	printf("%d\n", y >= 0);
	return 0;
}
