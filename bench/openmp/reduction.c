/* SPDX-License-Identifier: MIT */
/* Sums and a histogram. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int n = 500000 * (argc > 1 ? atoi(argv[1]) : 1), counts[16] = {0};
	double sum = 0, most = 0;
	double *a = malloc((size_t)n * sizeof(*a));
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < n; i++)
			a[i] = i % 1000 * 0.5;
#pragma omp for reduction(+ : sum, counts[:16]) reduction(max : most)
		for (int i = 0; i < n; i++) {
			sum += a[i];
			most = a[i] > most ? a[i] : most;
			counts[i % 16]++;
		}
	}
	printf("%.1f %.1f %d\n", sum, most, counts[3]);
	return 0;
}
