/* SPDX-License-Identifier: MIT */
/* Breadth-first search, level by level, in a graph that is drawn. */
#include <stdio.h>
#include <stdlib.h>

#define DEGREE 8

int main(int argc, char **argv)
{
	int n = 20000 * (argc > 1 ? atoi(argv[1]) : 1), level = 0, more = 1;
	int *edges = malloc((size_t)n * DEGREE * sizeof(*edges));
	int *cost = malloc((size_t)n * sizeof(*cost)), *next = malloc((size_t)n * sizeof(*next));
	unsigned seed = 1;
	for (int i = 0; i < n * DEGREE; i++) {
		seed = seed * 1103515245 + 12345;
		edges[i] = (int)((seed >> 8) % (unsigned)n);
	}
	for (int i = 0; i < n; i++)
		cost[i] = next[i] = i ? -1 : 0;
	while (more) {
		more = 0;
#pragma omp parallel
		{
#pragma omp for reduction(| : more)
			for (int i = 0; i < n; i++) {
				if (cost[i] != level)
					continue;
				for (int e = i * DEGREE; e < (i + 1) * DEGREE; e++)
					if (cost[edges[e]] < 0) {
#pragma omp atomic write
						next[edges[e]] = level + 1;
						more |= 1;
					}
			}
#pragma omp for
			for (int i = 0; i < n; i++)
				cost[i] = next[i];
		}
		level++;
	}
	printf("%d levels\n", level);
	return 0;
}
