/* SPDX-License-Identifier: MIT */
/*
 * How std::future waits, inside libstdc++: for a word to change, until a time of a clock. As with
 * syscall(SYS_futex, …) in libc/futex.c, the caller looks again, so that in replay it need
 * not sleep but is told what it was told.
 */
#include "runtime/blocked.h"
#include "runtime/inputs.h"
#include "runtime/libc/ranges.h"
#include "runtime/libc/replaced.h"

typedef bool norn_wait_until(void *base, unsigned *word, unsigned value, bool limited,
			     int64_t seconds, int64_t ns);

static bool wait_until(norn_wait_until *libstdcxx, clockid_t clock, void *base, unsigned *word,
		       unsigned value, bool limited, struct timespec until, const void *pc)
{
	struct norn_input in;
	struct timespec ours;
	bool changed;
	norn_long_call();
	if (norn_input_given(INPUT_FUTEX, &in)) {
		changed = in.result;
	} else {
		const struct timespec *real =
			limited ? norn_clock_until(clock, &until, &ours) : &until;
		norn_blocks(LOG_BLOCKED, word, pc, limited ? NORN_LIMITED : NORN_FOR_EVER);
		changed = libstdcxx(base, word, value, limited, real->tv_sec, real->tv_nsec);
		norn_runs(false);
	}
	norn_input_keep(INPUT_FUTEX, changed, NULL, 0);
	return changed;
}

#define WAIT(name, clock)                                                            \
	bool __norn_##name(void *base, unsigned *word, unsigned value, bool limited, \
			   int64_t seconds, int64_t ns)                              \
	{                                                                            \
		return wait_until(name, clock, base, word, value, limited,           \
				  (struct timespec){seconds, ns}, NORN_CALLER);      \
	}
/* clang-format off */
WAIT(_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE, CLOCK_REALTIME)
WAIT(_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE, CLOCK_MONOTONIC)
