/*
 * A variable that is not threadprivate.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int x;

static void count(void)
{
	x++; /* @a */
}

int main(void)
{
#pragma omp parallel
	count();
	printf("%d\n", x > 0);
	return 0;
}
