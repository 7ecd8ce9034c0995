/*
 * One update is atomic, the other one is not.
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
#pragma omp atomic
			x += 1; /* @a */
		}
#pragma omp section
		x += 2; /* @b */
	}
	printf("%d\n", x > 0);
	return 0;
}
