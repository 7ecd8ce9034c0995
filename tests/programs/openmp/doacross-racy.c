/*
 * Waits for the iteration before the one that it needs.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int a[16];

int main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1)
	for (int i = 1; i < 16; i++) {
#pragma omp ordered depend(sink : i - 2)
		a[i] = a[i - 1] + 1; /* @a */
#pragma omp ordered depend(source)
	}
	printf("%d\n", a[1]);
	return 0;
}
