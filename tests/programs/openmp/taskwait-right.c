/*
 * taskwait, and a task that is done at once.
 *
 * expect: nothing
 */
#include <stdio.h>


int x, y;

static int fibonacci(int n)
{
	int a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fibonacci(n - 1);
#pragma omp task shared(b)
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1;
#pragma omp taskwait
		x++;
#pragma omp task if (0)
		x++;
		x++;
		y = fibonacci(5);
	}
	printf("%d %d\n", x, y);
	return 0;
}
