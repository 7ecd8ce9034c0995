/*
 * Only the first thread uses it.
 *
 * expect: nothing
 */
#include <stdio.h>


int x, y;

int main(void)
{
#pragma omp parallel
	{
#pragma omp master
		x = 1;
#pragma omp critical
		y++;
#pragma omp masked
		x++;
	}
	printf("%d %d\n", x, y > 1);
	return 0;
}
