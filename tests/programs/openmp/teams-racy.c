/*
 * Two teams write the same.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int x;

int main(void)
{
#pragma omp teams num_teams(2)
	x = 1; /* @a */
	printf("%d\n", x);
	return 0;
}
