/*
 * Waits for the iteration that it needs, in one dimension and in two.
 *
 * expect: nothing
 */
#include <stdio.h>


int a[16], b[6][6];

int main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1)
	for (int i = 1; i < 16; i++) {
#pragma omp ordered depend(sink : i - 1)
		a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
	}
#pragma omp parallel for ordered(2) schedule(dynamic)
	for (int i = 1; i < 6; i++)
		for (int j = 1; j < 6; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
			b[i][j] = b[i - 1][j] + b[i][j - 1] + 1;
#pragma omp ordered depend(source)
		}
	printf("%d %d\n", a[15], b[5][5]);
	return 0;
}
