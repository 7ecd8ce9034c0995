/* SPDX-License-Identifier: MIT */
/*
 * Guards of C++ variables that are made when control first comes to them: to make one is a function
 * that is called once (pthread/once.c). The compiler's own test of the guard is an atomic load of
 * its first byte, which the runtime of C++ sets to 1 behind our back; here it is set, in the log
 * too, before those are woken that wait for it. So who does not come here has an order, too.
 */
#include "runtime/blocked.h"
#include "runtime/hooks.h"
#include "runtime/libc/ranges.h"
#include "runtime/libc/replaced.h"
#include "runtime/pthread/locks.h"
#include "runtime/pthread/sync.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/schedule.h"

/* libstdc++'s bits: 1 made, 256 somebody makes it, above these who waits for that. */
static bool is_being_made(const uint64_t *guard)
{
	return (uint32_t) * (const volatile uint64_t *)guard & ~1u;
}

int __norn___cxa_guard_acquire(uint64_t *guard)
{
	NORN_UNBLOCKS; /* it may throw */
	struct norn_step step = norn_begin_step(LOG_ONCE_BEGIN, guard, NORN_CALLER);
	norn_long_call();
	while (is_being_made(guard) && norn_turn_awaits(LOG_ONCE_PASS, guard, NORN_CALLER))
		;
	if (is_being_made(guard))
		norn_blocks(LOG_ONCE_PASS, guard, NORN_CALLER, NORN_FOR_EVER);
	int make = __cxa_guard_acquire(guard);
	norn_runs(true);
	norn_log_object(make ? LOG_ONCE_BEGIN : LOG_ONCE_PASS, guard, NORN_CALLER);
	norn_end_step(&step, true);
	return make;
}

void __norn___cxa_guard_release(uint64_t *guard)
{
	struct norn_step step = norn_begin_step(LOG_ONCE_END, guard, NORN_CALLER);
	norn_log_object(LOG_ONCE_END, guard, NORN_CALLER);
	__norn_rmw1(guard, 1, NORN_XCHG, 0, 0, 0);
	__cxa_guard_release(guard);
	norn_turn_wake(guard);
	norn_end_step(&step, true);
}

/* Another thread may try now; the guard is as it was. */
void __norn___cxa_guard_abort(uint64_t *guard)
{
	norn_log_init(guard, NORN_CALLER);
	__cxa_guard_abort(guard);
	norn_turn_wake(guard);
}
