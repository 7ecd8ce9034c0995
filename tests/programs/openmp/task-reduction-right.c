/*
 * Each task adds to a copy of its own.
 *
 * expect: nothing
 */
#include <stdio.h>

int sum, all, product = 1;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup task_reduction(+ : sum)
		for (int i = 0; i < 4; i++)
#pragma omp task in_reduction(+ : sum)
			sum += i;
#pragma omp taskloop reduction(+ : all) num_tasks(3)
		for (int i = 0; i < 9; i++)
			all += i;
	}
#pragma omp parallel reduction(task, * : product)
#pragma omp single
	for (int i = 1; i < 4; i++)
#pragma omp task in_reduction(* : product)
		product *= i;
	printf("%d %d %d\n", sum, all, product);
	return 0;
}
