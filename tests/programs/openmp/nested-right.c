/*
 * Inner regions have barriers, masters and joins of their own.
 *
 * expect: nothing
 */
#include <omp.h>
#include <stdio.h>


int x[2][2], sum;

int main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
		{
			x[outer][omp_get_thread_num()] = 1;
#pragma omp barrier
#pragma omp master
			x[outer][1]++;
		}
#pragma omp critical
		sum += x[outer][0] + x[outer][1];
	}
	printf("%d\n", sum);
	return 0;
}
