/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions with hooks (log.h: LOG_ENTER). A call is where its record ends, and above that
 * how many were under way then, with it; 0: nothing was logged.
 */
#include "runtime/append.h"
#include "runtime/hooks.h"

#define POSITION_BITS 40

NORN_INLINE uint64_t under_way(uint64_t call)
{
	return call >> POSITION_BITS;
}

NORN_INLINE uint64_t position_of(const struct norn_self *me)
{
	return norn_position(me) & ((UINT64_C(1) << POSITION_BITS) - 1);
}

uint64_t __norn_enter(const void *pc)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return 0;
	norn_commit(me, me->at, LOG_ENTER_WORD((uintptr_t)pc), 1);
	uint64_t call = ++me->calls << POSITION_BITS | position_of(me);
	norn_leave(me);
	return call;
}

/* So many go on. */
NORN_INLINE void put_leave(struct norn_self *me, uint64_t calls)
{
	if (me->calls <= calls)
		return;
	me->calls = calls;
	norn_commit(me, me->at, LOG_WORD(LOG_LEAVE, 0, calls), 1);
}

NORN_INLINE void take_back(struct norn_self *me)
{
	uint64_t *at = me->at - 1;
	*(volatile uint64_t *)at = 0;
	NORN_COMPILER_BARRIER();
	me->at = at;
	me->records--;
	me->calls--;
}

void __norn_leave(uint64_t call)
{
	struct norn_self *me = &norn_self;
	if (!call || !norn_enter(me))
		return;
	if (me->calls << POSITION_BITS == call - position_of(me))
		take_back(me);
	else
		put_leave(me, under_way(call) - 1);
	norn_leave(me);
}

void __norn_back(uint64_t call)
{
	struct norn_self *me = &norn_self;
	if (!call || !norn_enter(me))
		return;
	put_leave(me, under_way(call));
	norn_leave(me);
}
