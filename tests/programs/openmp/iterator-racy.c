/*
 * A task depends on all parts but the last.
 *
 * expect: race @a @b
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
			part[i] = i + 1; /* @a */
#pragma omp task depend(iterator(k = 0 : 3), in : part[k])
		for (int i = 0; i < 4; i++)
			sum += part[i]; /* @b */
	}
	printf("%d\n", part[3]);
	return 0;
}
