/*
 * Another thread than that of the single reads, and does not wait.
 *
 * expect: race @a @b
 */
#include <stdio.h>


int x, y;

int main(void)
{
#pragma omp parallel
	{
#pragma omp single nowait
		x = 1; /* @a */
#pragma omp critical
		y += x; /* @b */
	}
	printf("%d\n", y >= 0);
	return 0;
}
