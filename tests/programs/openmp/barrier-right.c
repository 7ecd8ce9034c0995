/*
 * A thread reads what another one wrote before the barrier.
 *
 * expect: nothing
 */
#include <omp.h>
#include <stdio.h>


int a[64], b[64];

int main(void)
{
#pragma omp parallel
	for (int round = 0; round < 3; round++) {
		int me = omp_get_thread_num(), n = omp_get_num_threads();
		a[me] = me + round;
#pragma omp barrier
		b[me] = a[(me + 1) % n];
#pragma omp barrier
	}
	printf("%d\n", b[0]);
	return 0;
}
