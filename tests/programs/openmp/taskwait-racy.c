/*
 * taskwait waits for children, not for theirs.
 *
 * expect: race @a @b
 */
#include <stdio.h>


int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
#pragma omp task
			x = 1; /* @a */
			y = 1;
		}
#pragma omp taskwait
		x = 2; /* @b */
		y = 2;
	}
	printf("%d\n", x + y > 2);
	return 0;
}
