/*
 * Tasks that depend on a list of addresses, or by an object that holds a dependence; and who waits
 * for one of two tasks.
 *
 * expect: nothing
 */
#include <omp.h>
#include <stdio.h>


int parts[3], sum, held, one, other, seen;

int main(void)
{
	omp_depend_t object;
#pragma omp depobj(object) depend(inout : held)
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 3; i++)
#pragma omp task depend(out : parts[i])
			parts[i] = i;
#pragma omp task depend(iterator(k = 0 : 3), in : parts[k])
		sum = parts[0] + parts[1] + parts[2];
#pragma omp task depend(iterator(k = 0 : 3), inout : parts[k])
		parts[0] = parts[1] + parts[2];
#pragma omp task depend(depobj : object)
		held = 1;
#pragma omp task depend(depobj : object)
		held++;
#pragma omp task depend(out : one)
		one = 1;
#pragma omp task depend(out : other)
		other = 1;
#pragma omp taskwait depend(in : one)
		seen = one;
#pragma omp taskwait
		seen += other;
	}
#pragma omp depobj(object) destroy
	printf("%d %d %d %d\n", sum, parts[0], held, seen);
	return 0;
}
