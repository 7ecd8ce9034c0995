/*
 * Iterations that are 16 apart touch the same element, and a dynamic schedule may give them to any
 * two threads.
 *
 * expect: race @a @a
 */
#include <stdio.h>


int cells[16];

int main(void)
{
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < 64; i++)
		cells[i % 16]++; /* @a */
	printf("%d\n", cells[0] > 0);
	return 0;
}
