/* SPDX-License-Identifier: MIT */
/* Heat on a chip: a grid of doubles, from one to the other and back. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int n = 128, steps = 20 * (argc > 1 ? atoi(argv[1]) : 1);
	double *from = calloc((size_t)(n * n), sizeof(*from));
	double *to = calloc((size_t)(n * n), sizeof(*to));
	double *power = calloc((size_t)(n * n), sizeof(*power));
	for (int i = 0; i < n * n; i++)
		power[i] = i % 17 ? 0.0 : 0.5;
	for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static)
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++) {
				const double *at = &from[i * n + j];
				to[i * n + j] = *at + 0.1 * (power[i * n + j] + at[-1] + at[1] +
							     at[-n] + at[n] - 4 * *at);
			}
		double *other = from;
		from = to;
		to = other;
	}
	printf("%.3f\n", from[n * n / 2 + n / 2]);
	return 0;
}
