/*
 * Without a barrier behind the loop, but each thread has the same iterations again.
 *
 * expect: nothing
 */
#include <stdio.h>


int a[8], b[8];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for nowait schedule(static)
		for (int i = 0; i < 8; i++)
			a[i] = i;
#pragma omp for schedule(static)
		for (int i = 0; i < 8; i++)
			b[i] = a[i];
	}
	printf("%d\n", b[7]);
	return 0;
}
