/*
 * An iterator that leaves one out; a task that does not have the object; and who waits for one task
 * and uses what the other one writes.
 *
 * expect: race @part @sum
 * expect: race @held @more
 * expect: race @other @seen
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
#pragma omp task depend(out : parts[0])
		parts[0] = 1;
#pragma omp task depend(out : parts[2])
		parts[2] = 1; /* @part */
#pragma omp task depend(iterator(k = 0 : 2), in : parts[k])
		sum = parts[0] + parts[2]; /* @sum */
#pragma omp task depend(depobj : object)
		held = 1; /* @held */
#pragma omp task
		held = 2; /* @more */
#pragma omp task depend(out : one)
		one = 1;
#pragma omp task depend(out : other)
		other = 1; /* @other */
#pragma omp taskwait depend(in : one)
		seen = one;
		seen += other; /* @seen */
	}
#pragma omp depobj(object) destroy
	printf("%d\n", one);
	return 0;
}
