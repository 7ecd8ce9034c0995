/*
 * criticals with a name, the same at two places, and without one.
 *
 * expect: nothing
 */
#include <stdio.h>


int x, y;

int main(void)
{
#pragma omp parallel
	{
#pragma omp critical(one)
		x++;
#pragma omp critical
		y++;
#pragma omp critical(one)
		x++;
	}
	printf("%d\n", x == 2 * y);
	return 0;
}
