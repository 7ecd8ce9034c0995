/*
 * Both in the critical.
 *
 * expect: nothing
 */
#include <stdio.h>


int x, y;

int main(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		{
#pragma omp critical
			{
				x = 1;
				y++;
			}
		}
#pragma omp section
		{
#pragma omp critical
			{
				y++;
				x = 2;
			}
		}
	}
	printf("%d\n", y);
	return 0;
}
