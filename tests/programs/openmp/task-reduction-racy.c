/*
 * Each task adds to a copy of its own, and all write one variable.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int sum, seen;

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
	for (int i = 0; i < 2; i++)
#pragma omp task in_reduction(+ : sum)
	{
		sum += i;
		seen = i; /* @a */
	}
	printf("%d\n", sum);
	return 0;
}
