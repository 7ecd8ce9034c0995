/*
 * Two sections write different variables, and the last one a lastprivate.
 *
 * expect: nothing
 */
#include <stdio.h>


int x, y;

int main(void)
{
	int z = 0;
#pragma omp parallel sections lastprivate(z)
	{
#pragma omp section
		{
			x = 1;
			z = 1;
		}
#pragma omp section
		{
			y = 2;
			z = 2;
		}
	}
	printf("%d\n", x + y + z);
	return 0;
}
