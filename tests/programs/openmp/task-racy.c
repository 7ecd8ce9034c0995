/*
 * Two tasks, which one worker may run one after the other.
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
#pragma omp task
		x = 2; /* @b */
	}
	printf("%d\n", x > 0);
	return 0;
}
