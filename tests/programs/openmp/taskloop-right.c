/*
 * taskloop with its group, with a grain, and reductions of tasks.
 *
 * expect: nothing
 */
#include <stdio.h>


int a[20], sum, more;

int main(void)
{
	int last = 0;
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop lastprivate(last)
		for (int i = 0; i < 20; i++) {
			a[i] = i;
			last = i;
		}
#pragma omp taskloop grainsize(3) reduction(+ : sum)
		for (int i = 0; i < 20; i++)
			sum += a[19 - i];
#pragma omp taskgroup task_reduction(+ : more)
		for (int i = 0; i < 4; i++)
#pragma omp task in_reduction(+ : more) firstprivate(i)
			more += i;
	}
	printf("%d %d %d\n", sum, last, more);
	return 0;
}
