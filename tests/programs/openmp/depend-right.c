/*
 * out, in, inout and mutexinoutset.
 *
 * expect: nothing
 */
#include <stdio.h>


int x, y, z, sum;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(in : x) depend(out : y)
		y = x;
#pragma omp task depend(in : x) depend(out : z)
		z = x;
#pragma omp task depend(inout : x)
		x++;
#pragma omp task depend(mutexinoutset : sum) depend(in : y)
		sum += y;
#pragma omp task depend(mutexinoutset : sum) depend(in : z)
		sum += z;
#pragma omp task depend(in : sum, x) shared(sum)
		sum += x;
#pragma omp taskwait depend(in : sum)
	}
	printf("%d\n", sum);
	return 0;
}
