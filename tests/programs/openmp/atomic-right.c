/*
 * Atomic updates, reads, writes and captures.
 *
 * expect: nothing
 */
#include <stdio.h>


int x, y;
double d;

int main(void)
{
#pragma omp parallel
	{
		int mine;
#pragma omp atomic
		x += 1;
#pragma omp atomic update
		d = d + 0.5;
#pragma omp atomic capture
		mine = y++;
#pragma omp atomic read
		mine = x;
#pragma omp atomic write
		y = 5;
		(void)mine;
	}
	printf("%d\n", x > 1 && d > 0.9);
	return 0;
}
