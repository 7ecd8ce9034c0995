/* SPDX-License-Identifier: MIT */
/*
 * Guards of C++ variables that are made when control first comes to them. The compiler's
 * own test of the guard is an atomic load of its first byte, which the runtime of C++ sets to 1
 * behind our back; here it is set, in the log too, before those are woken that wait for it. Whoever
 * comes later looks at it in the same way: so there is an order.
 */
#include "runtime/blocked.h"
#include "runtime/hooks.h"
#include "runtime/libc/ranges.h"
#include "runtime/libc/replaced.h"
#include "runtime/replay/schedule.h"

/* The only access without a site that is atomic is an rmw. */
static void look_at(uint64_t *guard)
{
	__norn_rmw1(guard, 0, NORN_OR, 0, 0, 0);
}

/* libstdc++'s bits: 1 made, 256 somebody makes it, above these who waits for that. */
static bool is_being_made(const uint64_t *guard)
{
	return (uint32_t) * (const volatile uint64_t *)guard & ~1u;
}

int __norn___cxa_guard_acquire(uint64_t *guard)
{
	NORN_UNBLOCKS; /* it may throw */
	norn_long_call();
	while (is_being_made(guard) && norn_turn_awaits(LOG_BLOCKED, guard, NORN_CALLER))
		;
	if (is_being_made(guard))
		norn_blocks(LOG_BLOCKED, guard, NORN_CALLER, NORN_FOR_EVER);
	int make = __cxa_guard_acquire(guard);
	norn_runs(false);
	look_at(guard);
	norn_decided(NORN_CALLER);
	return make;
}

void __norn___cxa_guard_release(uint64_t *guard)
{
	__norn_rmw1(guard, 1, NORN_XCHG, 0, 0, 0);
	__cxa_guard_release(guard);
	norn_turn_wake(guard);
}

/* Another thread may try now; the guard is as it was. */
void __norn___cxa_guard_abort(uint64_t *guard)
{
	look_at(guard);
	__cxa_guard_abort(guard);
	norn_turn_wake(guard);
}
