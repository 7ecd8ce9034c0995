/*
 * Two locks with hints are two locks.
 *
 * expect: race @a @a
 */
#include <omp.h>
#include <stdio.h>


int x;

int main(void)
{
	omp_lock_t locks[2];
	omp_init_lock_with_hint(&locks[0], omp_sync_hint_speculative);
	omp_init_lock_with_hint(&locks[1], omp_sync_hint_none);
#pragma omp parallel num_threads(2)
	{
		omp_lock_t *mine = &locks[omp_get_thread_num()];
		omp_set_lock(mine);
		x++; /* @a */
		omp_unset_lock(mine);
	}
	printf("%d\n", x > 0);
	return 0;
}
