/*
 * Each team has its part.
 *
 * expect: nothing
 */
#include <stdio.h>


int a[40], sum;

int main(void)
{
#pragma omp teams distribute parallel for num_teams(2)
	for (int i = 0; i < 40; i++)
		a[i] = i;
	for (int i = 0; i < 40; i++)
		sum += a[i];
	printf("%d\n", sum);
	return 0;
}
