/* SPDX-License-Identifier: MIT */
#include "runtime/pthread/locks.h"

#include "runtime/run.h"

void norn_log_object(enum log_kind kind, const void *object, const void *pc)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter_sync(me, pc))
		return;
	struct norn_shard *shard = norn_shard_of(object);
	norn_hold(me, shard);
	norn_put3(me, kind, norn_step_site(pc), norn_version(shard), (uintptr_t)object,
		  (uintptr_t)pc);
	norn_release(me, shard);
	norn_leave(me);
}

void norn_log_init(const void *object, const void *pc)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	struct norn_shard *shard = norn_shard_of(object);
	norn_hold(me, shard);
	norn_shadow_drop(shard, object);
	norn_put3(me, LOG_INIT, 0, norn_version(shard), (uintptr_t)object, (uintptr_t)pc);
	norn_release(me, shard);
	norn_leave(me);
}

void norn_log_destroy(const void *object)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	struct norn_shard *shard = norn_shard_of(object);
	norn_hold(me, shard);
	norn_shadow_drop(shard, object);
	norn_release_unchanged(me, shard);
	norn_leave(me);
}

/* It is in the log from now on. Where the thread that is in the log as its owner has died, or it
 * was made anew without a call (by assignment, in memory that was used before), that one goes. */
static __attribute__((noinline)) void take(struct norn_self *me, struct norn_shard *shard,
					   const void *lock, const void *pc, bool shared, bool died)
{
	if (died) {
		norn_shadow_drop(shard, lock);
	} else if (norn_shadow_other_holds(shard, lock, me->number, !shared)) {
		norn_shadow_drop(shard, lock);
		norn_put3(me, LOG_INIT, 0, norn_version(shard), (uintptr_t)lock, (uintptr_t)pc);
		norn_release(me, shard);
		norn_hold(me, shard);
	}
	norn_shadow_take(shard, lock, me->number, shared ? NORN_HELD_SHARED : NORN_HELD, pc);
}

void norn_log_acquire(const void *lock, const void *pc, bool shared, bool died, uint32_t tries)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter_sync(me, pc))
		return;
	struct norn_shard *shard = norn_shard_of(lock);
	norn_hold(me, shard);
	if (!norn_shadow_take_alone(shard, lock, me->number, shared ? NORN_HELD_SHARED : NORN_HELD,
				    pc))
		take(me, shard, lock, pc, shared, died);
	norn_put3(me, shared ? LOG_ACQUIRE_SHARED : LOG_ACQUIRE, norn_step_site(pc) | tries,
		  norn_version(shard), (uintptr_t)lock, (uintptr_t)pc);
	norn_release(me, shard);
	norn_leave(me);
}

bool norn_log_release(const void *lock, const void *pc, bool anybody)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter_sync(me, pc))
		return false;
	struct norn_shard *shard = norn_shard_of(lock);
	norn_hold(me, shard);
	uint32_t owner = me->number;
	bool held = norn_shadow_give_alone(shard, lock, owner) ||
		    norn_shadow_give(shard, lock, owner, NORN_HELD);
	bool shared = !held && norn_shadow_give(shard, lock, owner, NORN_HELD_SHARED);
	if (!held && !shared && !anybody) {
		norn_release_unchanged(me, shard);
		norn_leave(me);
		return false;
	}
	if (!held && !shared)
		norn_shadow_drop(shard, lock);
	norn_put3(me, shared ? LOG_RELEASE_SHARED : LOG_RELEASE, norn_step_site(pc),
		  norn_version(shard), (uintptr_t)lock, (uintptr_t)pc);
	norn_release(me, shard);
	norn_leave(me);
	return true;
}

/* A try-rdlock may fail behind a writer that waits, without any that holds it. */
#define TRIES_BEHIND_WAITER 1000

int norn_log_planned_failure(const void *lock, const void *pc, struct norn_step *step, int result)
{
	norn_log_object((enum log_kind)step->kind, lock, pc);
	norn_end_step(step, true);
	return result;
}

enum norn_failed norn_log_try_failed(const void *lock, const void *pc, bool shared, uint32_t *tries,
				     struct norn_step *step)
{
	struct norn_self *me = &norn_self;
	if (norn_step_succeeds(step)) {
		norn_wait(tries);
		return NORN_TRY_AGAIN;
	}
	if (!norn_enter_sync(me, pc))
		return NORN_FAILED;
	struct norn_shard *shard = norn_shard_of(lock);
	norn_hold(me, shard);
	bool mine = norn_shadow_depth(shard, lock, me->number, NORN_HELD) ||
		    norn_shadow_depth(shard, lock, me->number, NORN_HELD_SHARED);
	bool agrees = norn_shadow_other_holds(shard, lock, me->number, !shared);
	bool behind_waiter = shared && !agrees && *tries > TRIES_BEHIND_WAITER &&
			     norn_shadow_other_holds(shard, lock, me->number, true);
	if (agrees || behind_waiter) {
		norn_put3(me, shared && agrees ? LOG_TRY_FAIL_SHARED : LOG_TRY_FAIL,
			  norn_step_site(pc), norn_version(shard), (uintptr_t)lock, (uintptr_t)pc);
		norn_release(me, shard);
	} else {
		norn_release_unchanged(me, shard);
	}
	norn_leave(me);
	/* What the thread holds itself fails whatever others do: there is nothing to log. */
	if (agrees || behind_waiter || mine || *tries > NORN_TRIES_MOST) {
		norn_end_step(step, agrees || behind_waiter);
		return NORN_FAILED;
	}
	norn_wait(tries);
	return NORN_TRY_AGAIN;
}
