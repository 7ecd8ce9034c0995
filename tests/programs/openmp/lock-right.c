/*
 * Locks and nested locks.
 *
 * expect: nothing
 */
#include <omp.h>
#include <stdio.h>


int x, y;
omp_lock_t lock;
omp_nest_lock_t nest;

static void count(void)
{
	omp_set_nest_lock(&nest);
	y++;
	omp_unset_nest_lock(&nest);
}

int main(void)
{
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel
	{
		omp_set_lock(&lock);
		x++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		count();
		y++;
		omp_unset_nest_lock(&nest);
		while (!omp_test_lock(&lock))
			;
		x++;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	printf("%d\n", x == y);
	return 0;
}
