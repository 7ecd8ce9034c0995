/* SPDX-License-Identifier: MIT */
/* Functions on numbers that have a second result, in the caller's memory: those of libc itself,
 * which every program has. */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <math.h>

#define SPLIT(name, type, whole)                               \
	type __norn_##name(type x, whole *to)                  \
	{                                                      \
		whole ours;                                    \
		type r = name(x, &ours);                       \
		norn_lay(NORN_CALLER, to, &ours, sizeof ours); \
		return r;                                      \
	}
SPLIT(frexp, double, int)
SPLIT(frexpf, float, int)
SPLIT(frexpl, long double, int)
SPLIT(modf, double, double)
SPLIT(modff, float, float)

/* Of 16 bytes only 10 are written. */
#define LONG_DOUBLE 10

long double __norn_modfl(long double x, long double *to)
{
	long double ours, r = modfl(x, &ours);
	norn_lay(NORN_CALLER, to, &ours, LONG_DOUBLE);
	return r;
}
