/*
 * A thread reads what another one writes on the same side of the barrier.
 *
 * expect: race @a @b
 */
#include <omp.h>
#include <stdio.h>


int a[64], b[64];

int main(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), n = omp_get_num_threads();
#pragma omp barrier
		a[me] = me;	    /* @a */
		b[me] = a[(me + 1) % n]; /* @b */
	}
	printf("%d\n", b[0] < 2);
	return 0;
}
