/*
 * Tasks of a loop with one sum.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int sum;

__attribute__((noinline)) static void add(int i)
{
	sum += i; /* @a */
}

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
	for (int i = 0; i < 8; i++)
		add(i);
	printf("%d\n", sum > 0);
	return 0;
}
