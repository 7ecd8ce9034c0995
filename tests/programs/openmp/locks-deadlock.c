/*
 * Two tasks take two locks in different orders, one after the other in this run.
 *
 * expect: deadlock @a @b
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int x;
omp_lock_t one, two;

int main(void)
{
	omp_init_lock(&one);
	omp_init_lock(&two);
#pragma omp parallel
#pragma omp master
	{
#pragma omp task
		{
			omp_set_lock(&one);
			omp_set_lock(&two); /* @a */
			x++;
			omp_unset_lock(&two);
			omp_unset_lock(&one);
		}
#pragma omp task
		{
			usleep(100000);
			omp_set_lock(&two);
			omp_set_lock(&one); /* @b */
			x++;
			omp_unset_lock(&one);
			omp_unset_lock(&two);
		}
	}
	printf("%d\n", x);
	return 0;
}
