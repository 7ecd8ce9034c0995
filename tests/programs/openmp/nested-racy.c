/*
 * Two inner regions of one outer one write the same.
 *
 * expect: race @a @a
 */
#include <omp.h>
#include <stdio.h>


int x[2];

int main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
	x[omp_get_thread_num()] = 1; /* @a */
	printf("%d\n", x[0]);
	return 0;
}
