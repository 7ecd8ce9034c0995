/* SPDX-License-Identifier: MIT */
/* Merge sort by tasks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 2000

static void merge(int *a, int *b, int n, int middle)
{
	int i = 0, j = middle, k = 0;
	while (i < middle && j < n)
		b[k++] = a[i] <= a[j] ? a[i++] : a[j++];
	while (i < middle)
		b[k++] = a[i++];
	while (j < n)
		b[k++] = a[j++];
	memcpy(a, b, (size_t)n * sizeof(*a));
}

static void sort(int *a, int *b, int n)
{
	if (n < 2)
		return;
	int middle = n / 2;
#pragma omp task if (n > SMALL)
	sort(a, b, middle);
#pragma omp task if (n > SMALL)
	sort(a + middle, b + middle, n - middle);
#pragma omp taskwait
	merge(a, b, n, middle);
}

int main(int argc, char **argv)
{
	int n = 100000 * (argc > 1 ? atoi(argv[1]) : 1);
	int *a = malloc((size_t)n * sizeof(*a)), *b = malloc((size_t)n * sizeof(*b));
	unsigned seed = 1;
	for (int i = 0; i < n; i++)
		a[i] = (int)((seed = seed * 1103515245 + 12345) >> 4);
#pragma omp parallel
#pragma omp single
	sort(a, b, n);
	for (int i = 1; i < n; i++)
		if (a[i - 1] > a[i])
			return 1;
	printf("sorted\n");
	return 0;
}
