/*
 * A critical inside of another one, and the other way round.
 *
 * expect: deadlock @a @b
 */
#include <stdio.h>
#include <unistd.h>

int x;

int main(void)
{
#pragma omp parallel sections
	{
#pragma omp section
#pragma omp critical(one)
		{
#pragma omp critical(two) /* @a */
			x++;
		}
#pragma omp section
		{
			usleep(100000);
#pragma omp critical(two)
			{
#pragma omp critical(one) /* @b */
				x++;
			}
		}
	}
	printf("%d\n", x);
	return 0;
}
