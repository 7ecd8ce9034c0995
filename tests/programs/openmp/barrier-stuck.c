/*
 * A barrier that one thread does not come to.
 *
 * expect: seen-stuck @a @b
 */
#include <omp.h>
#include <stdio.h>

int main(void)
{
#pragma omp parallel num_threads(2) /* @b */
	if (omp_get_thread_num() == 1) {
#pragma omp barrier /* @a */
	}
	printf("not here\n");
	return 0;
}
