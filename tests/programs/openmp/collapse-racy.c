/*
 * Both indices are shared out, and the element has one of them only.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int a[5];

int main(void)
{
#pragma omp parallel for collapse(2) schedule(static, 1)
	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 5; k++)
			a[k] += i; /* @a */
	printf("%d\n", a[0] >= 0);
	return 0;
}
