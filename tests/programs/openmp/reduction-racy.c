/*
 * A sum without the clause.
 *
 * expect: race @a @a
 */
#include <stdio.h>


__attribute__((noinline)) static void add(int *sum, int i)
{
	*sum += i; /* @a */
}

int main(void)
{
	int sum = 0;
#pragma omp parallel for
	for (int i = 0; i < 8; i++)
		add(&sum, i);
	printf("%d\n", sum > 0);
	return 0;
}
