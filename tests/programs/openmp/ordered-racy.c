/*
 * Outside of the ordered part.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int x, y;

int main(void)
{
#pragma omp parallel for ordered
	for (int i = 0; i < 4; i++) {
#pragma omp ordered
		y += i;
		x++; /* @a */
	}
	printf("%d %d\n", x > 0, y);
	return 0;
}
