/*
 * Sums, a maximum, an array, with and without a barrier behind.
 *
 * expect: nothing
 */
#include <stdio.h>


int main(void)
{
	int sum = 0, most = 0, parts[4] = {0};
	double product = 1;
#pragma omp parallel
	{
#pragma omp for reduction(+ : sum) reduction(max : most)
		for (int i = 0; i < 20; i++) {
			sum += i;
			most = most > i ? most : i;
		}
#pragma omp for reduction(* : product) nowait
		for (int i = 0; i < 8; i++)
			product *= 2;
#pragma omp for reduction(+ : parts[:4])
		for (int i = 0; i < 20; i++)
			parts[i % 4] += sum;
	}
#pragma omp parallel reduction(+ : sum)
	sum += 0;
	printf("%d %d %d %.0f\n", sum, most, parts[3], product);
	return 0;
}
