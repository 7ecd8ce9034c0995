/*
 * In the ordered part; some iterations have none.
 *
 * expect: nothing
 */
#include <stdio.h>


int x[20], n;

int main(void)
{
#pragma omp parallel for ordered schedule(dynamic, 2)
	for (int i = 0; i < 20; i++)
		if (i % 3)
#pragma omp ordered
			x[n++] = i;
	for (int i = 0; i < n; i++)
		printf("%d ", x[i]);
	printf("\n");
	return 0;
}
