/* SPDX-License-Identifier: MIT */
/* A stencil in one region, with barriers between its steps. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int n = 20000, steps = 20 * (argc > 1 ? atoi(argv[1]) : 1);
	float *a = calloc((size_t)n, sizeof(*a)), *b = calloc((size_t)n, sizeof(*b));
	for (int i = 0; i < n; i++)
		a[i] = (float)(i % 7);
#pragma omp parallel
	for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static)
		for (int i = 1; i < n - 1; i++)
			b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
#pragma omp for schedule(static)
		for (int i = 1; i < n - 1; i++)
			a[i] = b[i];
	}
	printf("%.3f\n", a[n / 2]);
	return 0;
}
