/*
 * Two tasks that only read, and one that does not say what it writes.
 *
 * expect: race @a @c
 * expect: race @b @c
 */
#include <stdio.h>


int x, y, z;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(in : x)
		y = x; /* @a */
#pragma omp task depend(in : x)
		z = x; /* @b */
#pragma omp task
		x = 2; /* @c */
	}
	printf("%d\n", x + y + z >= 2);
	return 0;
}
