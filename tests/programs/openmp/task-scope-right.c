/*
 * A function waits for the tasks that write its locals.
 *
 * expect: nothing
 */
#include <stdio.h>

static int half(int n)
{
	int result = 0;
#pragma omp task shared(result)
	result = n / 2;
#pragma omp taskwait
	return result;
}

int main(void)
{
	int sum = 0;
#pragma omp parallel
#pragma omp single
	sum = half(4) + half(6);
	printf("%d\n", sum);
	return 0;
}
