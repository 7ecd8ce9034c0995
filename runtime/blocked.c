/* SPDX-License-Identifier: MIT */
#include "runtime/blocked.h"

#include "runtime/append.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/schedule.h"
#include "runtime/run.h"

static void count_blocked(uint64_t step)
{
	__atomic_add_fetch(&norn_run.shared->blocked, LOG_MOVE + step, __ATOMIC_SEQ_CST);
}

static void count(uint32_t *counter, uint32_t step)
{
	__atomic_add_fetch(counter, step, __ATOMIC_SEQ_CST);
	count_blocked(0);
}

static void put(struct norn_self *me, uint64_t object, const void *pc, uint64_t kind, bool limited)
{
	if (!norn_enter(me))
		return;
	norn_put4(me, LOG_BLOCKED, limited ? LOG_TRIES : 0, 0, object, (uintptr_t)pc, kind);
	norn_leave(me);
}

void norn_blocks(enum log_kind kind, const void *object, const void *pc, enum norn_how how)
{
	struct norn_self *me = &norn_self;
	if (norn_replays()) {
		if (kind != LOG_BLOCKED) /* in replay a futex does not sleep */
			norn_set_blocked(kind, kind == LOG_JOIN ? NULL : object, pc);
		norn_turn_leaves(me);
		return;
	}
	if (me->busy || me->mode == NORN_PLAIN || me->mode == NORN_UNKNOWN)
		return;
	put(me, (uintptr_t)object - (kind == LOG_JOIN), pc, kind, how == NORN_LIMITED);
	me->waits = true;
	me->counted_blocked = how != NORN_LIMITED;
	me->spins = how == NORN_SPINS;
	me->shares = how == NORN_SHARED;
	if (me->shares)
		count(&norn_run.shared->sharing, 1);
	if (me->spins)
		count(&norn_run.shared->spinning, 1);
	if (me->counted_blocked)
		count_blocked(1);
}

void norn_runs(bool happened)
{
	struct norn_self *me = &norn_self;
	if (norn_replays()) {
		norn_set_running();
		norn_turn_returns(me);
	}
	if (!me->waits)
		return;
	if (me->counted_blocked)
		count_blocked(UINT64_MAX);
	if (me->spins)
		count(&norn_run.shared->spinning, UINT32_MAX);
	if (me->shares)
		count(&norn_run.shared->sharing, UINT32_MAX);
	me->waits = me->counted_blocked = me->spins = me->shares = false;
	if (!happened)
		put(me, 0, NULL, LOG_NOTHING, false);
}

void norn_thread_begins(void)
{
	count(&norn_run.shared->alive, 1);
}

void norn_thread_ends(void)
{
	count(&norn_run.shared->alive, UINT32_MAX);
}
