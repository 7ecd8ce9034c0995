/*
 * Two sections write the same.
 *
 * expect: race @a @b
 */
#include <stdio.h>


int x;

__attribute__((noinline)) static void one(void)
{
	x = 1; /* @a */
}

__attribute__((noinline)) static void two(void)
{
	x = 2; /* @b */
}

int main(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		one();
#pragma omp section
		two();
	}
	printf("%d\n", x > 0);
	return 0;
}
