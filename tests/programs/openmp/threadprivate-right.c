/*
 * threadprivate: each thread finds its own again, and so do tasks.
 *
 * expect: nothing
 */
#include <omp.h>
#include <stdio.h>


int x = 3, sum;
#pragma omp threadprivate(x)

static void count(void)
{
	x++;
}

int main(void)
{
	x = 5;
#pragma omp parallel copyin(x)
	x += omp_get_thread_num();
#pragma omp parallel
	{
		count();
#pragma omp critical
		sum += x - omp_get_thread_num();
	}
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 8; i++)
#pragma omp task
	{
		x = i;
		count();
	}
	printf("%d\n", sum % 6);
	return 0;
}
