/*
 * Who waits for a detached task comes behind the event that ends it.
 *
 * expect: nothing
 */
#include <omp.h>
#include <stdio.h>

int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x)
		x = 1;
#pragma omp task firstprivate(event)
		{
			y = 2;
			omp_fulfill_event(event);
		}
#pragma omp task depend(in : x)
		x += y;
#pragma omp taskwait
	}
	printf("%d\n", x);
	return 0;
}
