/*
 * Without a barrier behind the loop.
 *
 * expect: race @a @b
 */
#include <stdio.h>


int a[8], b[8];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for nowait
		for (int i = 0; i < 8; i++)
			a[i] = i; /* @a */
#pragma omp for
		for (int i = 0; i < 8; i++)
			b[i] = a[7 - i]; /* @b */
	}
	printf("%d\n", b[0] >= 0);
	return 0;
}
