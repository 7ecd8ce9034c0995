/*
 * A group waits for all that is made in it, however deep.
 *
 * expect: nothing
 */
#include <stdio.h>


int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp task
				x = 1;
#pragma omp task
				{
#pragma omp task
					y = 1;
				}
			}
		}
		x++;
		y++;
	}
	printf("%d\n", x + y);
	return 0;
}
