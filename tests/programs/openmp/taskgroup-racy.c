/*
 * A task that is made before the group.
 *
 * expect: race @a @b
 */
#include <stdio.h>


int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1; /* @a */
#pragma omp taskgroup
		{
#pragma omp task
			;
		}
		x = 2; /* @b */
	}
	printf("%d\n", x > 0);
	return 0;
}
