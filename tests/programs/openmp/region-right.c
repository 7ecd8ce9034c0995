/*
 * A variable for each thread; and one that is used before and behind the region.
 *
 * expect: nothing
 */
#include <stdio.h>


int main(void)
{
	int x = 1, y = 0;
#pragma omp parallel firstprivate(x) private(y)
	{
		y = x;
		x += y;
	}
#pragma omp parallel
#pragma omp master
	y = x;
	printf("%d %d\n", x, y);
	return 0;
}
