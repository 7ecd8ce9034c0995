/*
 * A task depends on all parts that others fill.
 *
 * expect: nothing
 */
#include <stdio.h>

int part[4], sum;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 4; i++)
#pragma omp task depend(out : part[i])
			part[i] = i + 1;
#pragma omp task depend(iterator(k = 0 : 4), in : part[k])
		for (int i = 0; i < 4; i++)
			sum += part[i];
	}
	printf("%d\n", sum);
	return 0;
}
