/*
 * What is done before a cancel comes before what is done behind it.
 *
 * expect: nothing
 */
#include <omp.h>
#include <stdio.h>

int found, x, y, tasks, after;

int main(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 16; i++) {
			if (i == 5) {
#pragma omp atomic write
				found = i;
#pragma omp cancel for
			}
#pragma omp cancellation point for
		}
#pragma omp atomic
		after++;
	}
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
			x = 1;
#pragma omp cancel parallel
		}
#pragma omp cancellation point parallel
#pragma omp barrier
	}
#pragma omp parallel sections
	{
#pragma omp section
		{
			y = 1;
#pragma omp cancel sections
			y = 7;
		}
	}
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i)
		{
#pragma omp atomic
			tasks++;
			if (i == 1) {
#pragma omp cancel taskgroup
			}
		}
		tasks = tasks > 0;
	}
	printf("%d %d %d %d %d\n", found, after > 0, x, y, tasks);
	return 0;
}
