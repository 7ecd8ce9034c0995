/*
 * Reductions by the program's own operator, of a section of an array, of tasks of a region, of a
 * taskloop, of a league.
 *
 * expect: nothing
 */
#include <stdio.h>


struct pair {
	int least, most;
};
#pragma omp declare reduction(widen : struct pair : omp_out.least = omp_in.least < omp_out.least ? omp_in.least : omp_out.least, omp_out.most = omp_in.most > omp_out.most ? omp_in.most : omp_out.most) initializer(omp_priv = (struct pair){99, -99})

int tasks, loop, league;

int main(void)
{
	struct pair range = {5, 5};
	int counts[4] = {0}, *at = counts;
#pragma omp parallel for reduction(widen : range) reduction(+ : at[0 : 4])
	for (int i = 0; i < 16; i++) {
		range.least = i < range.least ? i : range.least;
		range.most = i > range.most ? i : range.most;
		at[i % 4]++;
	}
#pragma omp parallel reduction(task, + : tasks)
#pragma omp single
	for (int i = 0; i < 4; i++)
#pragma omp task in_reduction(+ : tasks)
		tasks += i;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(2) reduction(+ : loop)
	for (int i = 0; i < 8; i++)
		loop += i;
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2) reduction(+ : league)
	for (int i = 0; i < 8; i++)
		league += i;
	printf("%d %d %d %d %d %d\n", range.least, range.most, counts[3], tasks, loop, league);
	return 0;
}
