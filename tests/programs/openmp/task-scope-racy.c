/*
 * A task writes a local of a function that does not wait for it.
 *
 * expect: race @a @b
 * expect: race @a @c
 * output: varies
 */
#include <stdio.h>

static void half(int n, int *to)
{
	int result = 0;
#pragma omp task shared(result)
	result = n / 2; /* @a */
	*to = result; /* @b */
} /* @c */

int main(void)
{
	int a, b;
#pragma omp parallel
#pragma omp single
	{
		half(4, &a);
		half(6, &b);
	}
	printf("%d\n", a + b > 100);
	return 0;
}
