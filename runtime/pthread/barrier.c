/* SPDX-License-Identifier: MIT */
/*
 * Barriers are our own: of more threads than parties, glibc may let others through than those that
 * came first, and the log would not know which threads made up a round. Those between processes
 * stay glibc's, and are not logged.
 */
#include <limits.h>
#include <linux/futex.h>

#include "runtime/blocked.h"
#include "runtime/hooks.h"
#include "runtime/late.h"
#include "runtime/pthread/locks.h"
#include "runtime/pthread/sync.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/schedule.h"
#include "runtime/run.h"
#include "runtime/sys.h"

bool norn_barrier_open(const void *barrier, unsigned parties, const void *pc)
{
	struct norn_self *me = &norn_self;
	struct norn_step step = norn_begin_step(LOG_BARRIER_INIT, barrier, pc);
	if (!norn_enter(me))
		return false;
	struct norn_shard *shard = norn_shard_of(barrier);
	norn_hold(me, shard);
	norn_shadow_drop(shard, barrier);
	struct norn_shadow *entry = norn_shadow_add(shard, barrier, NORN_BARRIER);
	if (entry)
		entry->barrier.parties = parties;
	norn_put4(me, LOG_BARRIER_INIT, norn_step_site(pc), norn_version(shard), (uintptr_t)barrier,
		  (uintptr_t)pc, parties);
	norn_release(me, shard);
	norn_leave(me);
	norn_end_step(&step, true);
	return true;
}

int NORN_WRAPPER(pthread_barrier_init)(pthread_barrier_t *barrier,
				       const pthread_barrierattr_t *attributes, unsigned parties)
{
	int shared = PTHREAD_PROCESS_PRIVATE;
	int result = NORN_REAL(pthread_barrier_init)(barrier, attributes, parties);
	if (attributes)
		pthread_barrierattr_getpshared(attributes, &shared);
	if (result == 0 && shared == PTHREAD_PROCESS_PRIVATE)
		norn_barrier_open(barrier, parties, NORN_PC);
	return result;
}

/* Null: not ours. */
static struct norn_shadow *come(struct norn_self *me, const void *barrier, const void *pc,
				uint32_t *round, bool *last)
{
	if (!norn_enter(me))
		return NULL;
	struct norn_shard *shard = norn_shard_of(barrier);
	norn_hold(me, shard);
	struct norn_shadow *entry = norn_shadow_find(shard, barrier, NORN_BARRIER, 0);
	if (!entry) {
		norn_release_unchanged(me, shard);
		norn_leave(me);
		return NULL;
	}
	*round = me->late.round = entry->barrier.round;
	me->late.barrier = barrier;
	me->late.pc = pc;
	*last = ++entry->barrier.entered == entry->barrier.parties;
	entry->barrier.inside++;
	norn_put3(me, LOG_BARRIER_ENTER, norn_step_site(pc), norn_version(shard),
		  (uintptr_t)barrier, (uintptr_t)pc);
	if (*last) {
		entry->barrier.entered = 0;
		__atomic_store_n(&entry->barrier.round, *round + 1, __ATOMIC_SEQ_CST);
	}
	norn_release(me, shard);
	norn_put2(me, LOG_TIME, 0, norn_now());
	norn_leave(me);
	return entry;
}

static void go(struct norn_self *me, struct norn_shadow *entry, const void *barrier, const void *pc)
{
	if (!norn_enter(me))
		return;
	struct norn_shard *shard = norn_shard_of(barrier);
	norn_hold(me, shard);
	entry->barrier.inside--;
	me->late.barrier = NULL;
	if (me->late.passed)
		norn_release_unchanged(me, shard);
	else {
		norn_put3(me, LOG_BARRIER_EXIT, norn_step_site(pc), norn_version(shard),
			  (uintptr_t)barrier, (uintptr_t)pc);
		norn_release(me, shard);
	}
	me->late.passed = false;
	norn_late_pass(me);
	norn_leave(me);
}

/* How many have come, in a schedule: then no other thread runs meanwhile, and who comes as which is
 * in the log, for those who look for other outcomes. */
#define ARRIVALS 64
static uint64_t arrivals[ARRIVALS];

static void tell_arrival(struct norn_self *me, const void *barrier)
{
	if (!me->serial || !norn_turn_scheduled())
		return;
	uint64_t *count = &arrivals[(uintptr_t)barrier / sizeof(pthread_barrier_t) % ARRIVALS];
	struct norn_read before = __norn_rmw8(count, 1, NORN_ADD, 0, 0, 0);
	if (before.position)
		__norn_branch_from(norn_library_guard(), before.position, 0, 0);
}

void __norn_serial(void)
{
	norn_self.serial = true;
}

bool norn_barrier_pass(const void *barrier, const void *pc, bool *last)
{
	struct norn_self *me = &norn_self;
	uint32_t round;
	struct norn_step step = norn_begin_step(LOG_BARRIER_ENTER, barrier, pc);
	struct norn_shadow *entry = come(me, barrier, pc, &round, last);
	if (entry)
		tell_arrival(me, barrier);
	me->serial = false;
	norn_end_step(&step, entry != NULL);
	if (!entry)
		return false;
	uint32_t *futex = &entry->barrier.round;
	if (*last)
		NORN_SYS(futex, futex, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
	step = norn_begin_step(LOG_BARRIER_EXIT, barrier, pc);
	while (__atomic_load_n(futex, __ATOMIC_SEQ_CST) == round &&
	       norn_turn_awaits(LOG_BARRIER_EXIT, barrier, pc))
		;
	if (__atomic_load_n(futex, __ATOMIC_SEQ_CST) == round)
		norn_blocks(LOG_BARRIER_EXIT, barrier, pc, NORN_FOR_EVER);
	while (__atomic_load_n(futex, __ATOMIC_SEQ_CST) == round)
		NORN_SYS(futex, futex, FUTEX_WAIT_PRIVATE, round, 0, 0, 0);
	norn_runs(true);
	go(me, entry, barrier, pc);
	norn_end_step(&step, true);
	return true;
}

int NORN_WRAPPER(pthread_barrier_wait)(pthread_barrier_t *barrier)
{
	bool last;
	if (!norn_barrier_pass(barrier, NORN_PC, &last))
		return NORN_REAL(pthread_barrier_wait)(barrier);
	return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* Waits until everybody has left, as the real one does. */
void norn_barrier_close(const void *barrier)
{
	struct norn_self *me = &norn_self;
	bool left = false;
	for (uint32_t tries = 0; !left && norn_enter(me); norn_wait(&tries)) {
		struct norn_shard *shard = norn_shard_of(barrier);
		norn_hold(me, shard);
		struct norn_shadow *entry = norn_shadow_find(shard, barrier, NORN_BARRIER, 0);
		left = !entry || entry->barrier.inside == 0;
		if (left)
			norn_shadow_drop(shard, barrier);
		norn_release_unchanged(me, shard);
		norn_leave(me);
	}
}

int NORN_WRAPPER(pthread_barrier_destroy)(pthread_barrier_t *barrier)
{
	norn_barrier_close(barrier);
	return NORN_REAL(pthread_barrier_destroy)(barrier);
}
