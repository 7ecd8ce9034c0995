/*
 * Tasks add up by the number of their worker: no two of them have it at a time.
 *
 * expect: nothing
 */
#include <omp.h>
#include <stdio.h>


int part[64], sum;

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 10; i++)
#pragma omp task
		part[omp_get_thread_num()] += i;
	for (int i = 0; i < 64; i++)
		sum += part[i];
	printf("%d\n", sum);
	return 0;
}
