/*
 * Tasks with variables of their own, and what the barrier orders.
 *
 * expect: nothing
 */
#include <stdio.h>


int a[8], sum;

int main(void)
{
#pragma omp parallel
	{
#pragma omp single
		for (int i = 0; i < 8; i++)
#pragma omp task firstprivate(i)
			a[i] = i;
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < 8; i++)
			sum += a[7 - i];
	}
	printf("%d\n", sum);
	return 0;
}
