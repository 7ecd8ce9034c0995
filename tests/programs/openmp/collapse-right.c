/*
 * Each pair of indices has an element of its own.
 *
 * expect: nothing
 */
#include <stdio.h>

int a[6][6], sum;

int main(void)
{
#pragma omp parallel for collapse(2) schedule(static, 1)
	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 6; k++)
			a[i][k] = i + k;
#pragma omp parallel for collapse(2) reduction(+ : sum) schedule(runtime)
	for (int i = 0; i < 6; i++)
		for (int k = i; k < 6; k++)
			sum += a[i][k];
	printf("%d\n", sum);
	return 0;
}
