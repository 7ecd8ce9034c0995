/*
 * What one thread has found is copied to the others; the last one to set it has it.
 *
 * expect: nothing
 */
#include <stdio.h>

int all, last, a[8];

int main(void)
{
#pragma omp parallel
	{
		int mine;
#pragma omp single copyprivate(mine)
		mine = 3;
#pragma omp critical
		all = mine;
	}
#pragma omp parallel for lastprivate(conditional : last)
	for (int i = 0; i < 8; i++)
		if (i % 3 == 0)
			last = i;
#pragma omp parallel for schedule(auto) lastprivate(all)
	for (int i = 0; i < 8; i++)
		a[i] = all = i;
	printf("%d %d %d\n", all, last, a[7]);
	return 0;
}
