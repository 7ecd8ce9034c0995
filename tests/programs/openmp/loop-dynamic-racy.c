/*
 * Iterations that are handed out one by one, all with one sum.
 *
 * expect: race @a @a
 */
#include <stdio.h>


long sum;

__attribute__((noinline)) static void add(int i)
{
	sum += i; /* @a */
}

int main(void)
{
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < 20; i++)
		add(i);
	printf("%d\n", sum > 0);
	return 0;
}
