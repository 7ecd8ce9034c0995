/*
 * The thread that is named writes, and all read behind a barrier.
 *
 * expect: nothing
 */
#include <stdio.h>

int x, sum;

int main(void)
{
#pragma omp parallel
	{
#pragma omp masked filter(1)
		x = 1;
#pragma omp barrier
#pragma omp atomic
		sum += x;
#pragma omp loop bind(thread)
		for (int i = 0; i < 2; i++)
			;
	}
	printf("%d\n", sum > 0);
	return 0;
}
