/*
 * Two criticals with different names.
 *
 * expect: race @a @b
 */
#include <stdio.h>


int x;

int main(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		{
#pragma omp critical(one)
			x++; /* @a */
		}
#pragma omp section
		{
#pragma omp critical(other)
			x++; /* @b */
		}
	}
	printf("%d\n", x > 0);
	return 0;
}
