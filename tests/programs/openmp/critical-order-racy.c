/*
 * A critical that hides a race in the recorded run: no order between the sections.
 *
 * expect: race @a @b
 */
#include <stdio.h>


int x, y;

int main(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		{
			x = 1; /* @a */
#pragma omp critical
			y++;
		}
#pragma omp section
		{
#pragma omp critical
			y++;
			x = 2; /* @b */
		}
	}
	printf("%d\n", y);
	return 0;
}
