/*
 * single with its barrier, masked with one, and copyprivate.
 *
 * expect: nothing
 */
#include <stdio.h>


int x, y;

int main(void)
{
#pragma omp parallel
	{
		int z;
#pragma omp single
		x = 1;
#pragma omp critical
		y += x;
#pragma omp barrier
#pragma omp single copyprivate(z)
		z = y;
#pragma omp barrier
#pragma omp masked
		x = z;
#pragma omp barrier
#pragma omp critical
		y += x - z;
	}
	printf("%d\n", x == y);
	return 0;
}
