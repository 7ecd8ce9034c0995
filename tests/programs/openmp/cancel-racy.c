/*
 * All threads add to it; that the region is cancelled afterwards orders nothing.
 *
 * expect: race @a @a
 */
#include <omp.h>
#include <stdio.h>


int x;

int main(void)
{
#pragma omp parallel
	{
		x++; /* @a */
		if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
		}
#pragma omp barrier
	}
	printf("%d\n", x > 0);
	return 0;
}
