/*
 * What comes behind the event is not waited for by who depends on the task.
 *
 * expect: race @a @b
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
			omp_fulfill_event(event);
			y = 2; /* @a */
		}
#pragma omp task depend(in : x)
		x += y; /* @b */
	}
	printf("%d\n", y);
	return 0;
}
