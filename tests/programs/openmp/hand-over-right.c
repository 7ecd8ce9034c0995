/*
 * A flag that is written by a flush and read atomically hands data over.
 *
 * expect: nothing
 */
#include <stdio.h>


int data, flag, seen;

int main(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			data = 42;
#pragma omp flush
#pragma omp atomic write
			flag = 1;
		}
#pragma omp section
		{
			int now = 0;
			while (!now) {
#pragma omp atomic read
				now = flag;
			}
#pragma omp flush
			seen = data;
		}
	}
	printf("%d\n", seen);
	return 0;
}
