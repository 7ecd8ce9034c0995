/*
 * A variable that all threads of a region count up.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int main(void)
{
	int x = 0;
#pragma omp parallel shared(x)
	x++; /* @a */
	printf("%d\n", x > 0);
	return 0;
}
