/* SPDX-License-Identifier: MIT */
#include "base/seconds.h"

#include <time.h>

static double waited;

static double clock_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double seconds_now(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

double seconds_spent(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID) + waited;
}

void seconds_add_waited(double seconds)
{
	waited += seconds;
}
