/*
 * Each iteration has its own element; the next loop has those of other threads.
 *
 * expect: nothing
 */
#include <stdio.h>


int a[100], b[100];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 100; i++)
			a[i] = i;
#pragma omp for schedule(static, 3)
		for (int i = 99; i >= 0; i--)
			b[i] = a[99 - i];
	}
	printf("%d\n", b[7]);
	return 0;
}
