/*
 * Each team has its part, and adds it to the sum of all.
 *
 * expect: nothing
 */
#include <stdio.h>


int a[40], sum, all;

int main(void)
{
#pragma omp teams distribute parallel for num_teams(2)
	for (int i = 0; i < 40; i++)
		a[i] = i;
	for (int i = 0; i < 40; i++)
		sum += a[i];
#pragma omp teams num_teams(3) reduction(+ : all)
	all += 2;
#pragma omp teams distribute num_teams(2) reduction(+ : sum)
	for (int i = 0; i < 40; i++)
		sum -= a[i];
	printf("%d %d\n", sum, all > 0);
	return 0;
}
