/* SPDX-License-Identifier: MIT */
/*
 * Clocks as the program sees them in a replay. What it was given last, and what the real clock
 * showed then, make a distance; from there on both go on together. Of several distances (threads
 * ask in another order, at another pace) the largest counts, so that no clock goes back.
 */
#include "runtime/inputs.h"

#include <errno.h>

#define NS 1000000000
#define UNKNOWN INT64_MIN

/* Clocks that show the same time share a distance. */
enum { WALL, STEADY, PROCESS, THREAD, DISTANCES };

static int64_t distance[DISTANCES] = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};

static int64_t *distance_of(clockid_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_TAI: return &distance[WALL];
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM: return &distance[STEADY];
	case CLOCK_PROCESS_CPUTIME_ID: return &distance[PROCESS];
	case CLOCK_THREAD_CPUTIME_ID: return &distance[THREAD];
	default: return NULL;
	}
}

void norn_clock_given(clockid_t clock, int64_t shown)
{
	int64_t *of = distance_of(clock), now, before;
	struct timespec real;
	int error = errno;
	if (of && clock_gettime(clock, &real) == 0) {
		now = shown - (real.tv_sec * NS + real.tv_nsec);
		before = __atomic_load_n(of, __ATOMIC_RELAXED);
		while (before < now &&
		       !__atomic_compare_exchange_n(of, &before, now, false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED))
			;
	}
	errno = error;
}

int64_t norn_clock_shows(clockid_t clock, int64_t real)
{
	const int64_t *of = distance_of(clock);
	int64_t far = of ? __atomic_load_n(of, __ATOMIC_RELAXED) : UNKNOWN;
	return far == UNKNOWN ? real : real + far;
}

const struct timespec *norn_clock_until(clockid_t clock, const struct timespec *until,
					struct timespec *ours)
{
	int64_t far = norn_clock_shows(clock, 0), ns;
	if (!until || !far || until->tv_nsec < 0 || until->tv_nsec >= NS ||
	    __builtin_mul_overflow(until->tv_sec, NS, &ns) ||
	    __builtin_add_overflow(ns, until->tv_nsec, &ns) ||
	    __builtin_sub_overflow(ns, far, &ns) || ns < 0)
		return until;
	*ours = (struct timespec){ns / NS, ns % NS};
	return ours;
}
