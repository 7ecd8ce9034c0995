/*
 * Guards of C++ variables that are made when control first comes to them. The compiler's
 * own test of the guard is an atomic load of its first byte, which the runtime of C++ sets to 1 behind
 * our back; here it is set, in the log too, before those are woken that wait for it. Whoever
 * comes later looks at it in the same way: so there is an order.
 */
#include "runtime/hooks.h"
#include "runtime/ranges.h"
#include "runtime/replaced.h"

/* The only access without a site that is atomic is an rmw. */
static void look_at(uint64_t *guard)
{
	__norn_rmw1(guard, 0, NORN_OR, 0, 0, 0);
}

int __norn___cxa_guard_acquire(uint64_t *guard)
{
	norn_long_call();
	int make = __cxa_guard_acquire(guard);
	look_at(guard);
	norn_decided(NORN_CALLER);
	return make;
}

void __norn___cxa_guard_release(uint64_t *guard)
{
	__norn_rmw1(guard, 1, NORN_XCHG, 0, 0, 0);
	__cxa_guard_release(guard);
}

/* Another thread may try now; the guard is as it was. */
void __norn___cxa_guard_abort(uint64_t *guard)
{
	look_at(guard);
	__cxa_guard_abort(guard);
}
