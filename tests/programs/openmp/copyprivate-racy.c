/*
 * The value is copied, and the variable behind it is not.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int x;

int main(void)
{
#pragma omp parallel
	{
		int *mine;
#pragma omp single copyprivate(mine)
		mine = &x;
		++*mine; /* @a */
	}
	printf("%d\n", x > 0);
	return 0;
}
