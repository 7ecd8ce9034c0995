/*
 * Hints do not change what a lock or an atomic update is; capture returns what it has found.
 *
 * expect: nothing
 */
#include <omp.h>
#include <stdio.h>

int x, y, n, most;

int main(void)
{
	omp_lock_t lock;
	omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
#pragma omp parallel
	{
		int mine;
		omp_set_lock(&lock);
		x = 1;
		omp_unset_lock(&lock);
#pragma omp critical(named) hint(omp_sync_hint_uncontended)
		y = 2;
#pragma omp atomic capture hint(omp_sync_hint_contended)
		mine = n++;
#pragma omp atomic
		most += mine >= 0;
	}
	omp_destroy_lock(&lock);
	printf("%d %d %d\n", x, y, n == most);
	return 0;
}
