/*
 * An iteration reads what another one writes.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int a[100];

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 99; i++)
		a[i] = a[i + 1] + 1; /* @a */
	printf("%d\n", a[98]);
	return 0;
}
