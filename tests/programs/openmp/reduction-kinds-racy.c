/*
 * The same sums, of what has no reduction.
 *
 * expect: race @add @add
 */
#include <stdio.h>


int counts[4], tasks, loop, league;

__attribute__((noinline)) static void add(int *to, int n)
{
	*to += n; /* @add */
}

int main(void)
{
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < 15; i++)
		add(&counts[i % 3], 1);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 4; i++)
#pragma omp task shared(tasks)
		add(&tasks, i);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(2)
	for (int i = 0; i < 8; i++)
		add(&loop, i);
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2)
	for (int i = 0; i < 8; i++)
		add(&league, i);
	printf("%d\n", counts[0] > 0);
	return 0;
}
