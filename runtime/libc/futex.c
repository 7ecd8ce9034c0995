/* SPDX-License-Identifier: MIT */
/*
 * syscall(SYS_futex, …), by which libstdc++ waits for latches, barriers, semaphores and atomics.
 * (The instrumenter sends only calls with that number here.) Who waits may be woken for no reason,
 * and looks again; so in replay a wait does not sleep but returns what it returned: whether it did
 * sleep is seen by the caller, whose next steps depend on it.
 */
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/blocked.h"
#include "runtime/inputs.h"
#include "runtime/libc/libc.h"

long __norn_syscall(long number, ...);

static bool is_wait(int operation)
{
	int command = operation & FUTEX_CMD_MASK;
	return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
}

/* Until a time of the clocks that the program knows. */
static long wait_really(long number, long arguments[6], const void *pc)
{
	int operation = (int)arguments[1];
	struct timespec ours;
	norn_blocks(LOG_BLOCKED, (const void *)arguments[0], pc,
		    arguments[3]		     ? NORN_LIMITED
		    : operation & FUTEX_PRIVATE_FLAG ? NORN_FOR_EVER
						     : NORN_SHARED);
	if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
		arguments[3] = (long)norn_clock_until(
			operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC,
			(const struct timespec *)arguments[3], &ours);
	long result = syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
			      arguments[4], arguments[5]);
	norn_runs(false);
	return result;
}

long __norn_syscall(long number, ...)
{
	struct norn_input in;
	long arguments[6];
	va_list list;
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	bool waits = is_wait((int)arguments[1]);
	long result;
	if (waits)
		norn_long_call();
	if (waits && norn_input_given(INPUT_FUTEX, &in))
		result = (long)in.result;
	else if (waits)
		result = wait_really(number, arguments, NORN_CALLER);
	else
		result = syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
				 arguments[4], arguments[5]);
	if (waits)
		norn_input_keep(INPUT_FUTEX, result, NULL, 0);
	return result;
}
