/* SPDX-License-Identifier: MIT */
/*
 * Condition variables. LOG_WAIT gives the mutex back and LOG_WOKEN takes it, so they are events of
 * two objects, and hold the shards of both.
 */
#include <errno.h>

#include "runtime/blocked.h"
#include "runtime/inputs.h"
#include "runtime/late.h"
#include "runtime/pthread/locks.h"
#include "runtime/pthread/misuse.h"
#include "runtime/real.h"
#include "runtime/replay/cond.h"
#include "runtime/replay/schedule.h"
#include "runtime/pthread/robust.h"
#include "runtime/run.h"
#include "runtime/pthread/sync.h"

struct waiting {
	pthread_cond_t *condition;
	pthread_mutex_t *mutex;
	const void *pc;
	bool logged, timed_out;
	bool limited; /* it does not wait for ever */
	int locked;   /* in replay: what the lock of the mutex returned in the end */
	/* of a mutex that is none of libc's */
	void (*give)(void *), (*take)(void *);
};

/* What is waited for, in case that the recording begins meanwhile. */
static void note_wait(struct norn_self *me, enum log_kind kind, const struct waiting *waiting)
{
	me->late.condition = kind == LOG_WAIT ? waiting->condition : NULL;
	me->late.pc = waiting->pc;
}

static void put_wait(struct norn_self *me, enum log_kind kind, const struct waiting *waiting)
{
	struct norn_shard *condition = norn_shard_of(waiting->condition);
	struct norn_shard *mutex = norn_shard_of(waiting->mutex);
	norn_hold_two(me, condition, mutex);
	if (kind == LOG_WAIT)
		norn_shadow_give(mutex, waiting->mutex, me->number, NORN_HELD);
	else
		norn_shadow_take(mutex, waiting->mutex, me->number, NORN_HELD, waiting->pc);
	note_wait(me, kind, waiting);
	uint32_t tries = kind == LOG_WOKEN && waiting->limited ? LOG_TRIES : 0;
	uint64_t *at = me->at;
	at[1] = (uintptr_t)waiting->condition;
	at[2] = (uintptr_t)waiting->pc;
	at[3] = (uintptr_t)waiting->mutex;
	at[4] = norn_version(mutex);
	at[5] = waiting->timed_out;
	norn_commit(me, at,
		    LOG_WORD(kind, norn_step_site(waiting->pc) | tries, norn_version(condition)),
		    kind == LOG_WAIT ? 5 : 6);
	norn_release_two(me);
}

static void begin_wait(struct waiting *waiting)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter_sync(me, waiting->pc))
		return;
	put_wait(me, LOG_WAIT, waiting);
	norn_put2(me, LOG_TIME, 0, norn_now());
	waiting->logged = true;
	norn_leave(me);
}

/* Also when the thread is cancelled: it has the mutex again before anything of the program runs. */
static void end_wait(struct waiting *waiting)
{
	struct norn_self *me = &norn_self;
	if (me->waits)
		norn_runs(waiting->logged);
	if (!waiting->logged || !norn_enter(me))
		return;
	bool late = me->late.waited;
	struct waiting began = *waiting;
	if (late)
		began.mutex = (pthread_mutex_t *)&me->late.lock;
	put_wait(me, LOG_WOKEN, &began);
	if (late)
		norn_late_woken(me);
	norn_leave(me);
	if (late)
		norn_log_acquire(waiting->mutex, waiting->pc, false, false, 0);
}

bool norn_log_wait(const void *condition, const void *mutex, const void *pc)
{
	struct waiting waiting = {.condition = (pthread_cond_t *)condition,
				  .mutex = (pthread_mutex_t *)mutex,
				  .pc = pc};
	begin_wait(&waiting);
	return waiting.logged;
}

void norn_log_woken(const void *condition, const void *mutex, const void *pc, bool limited,
		    bool timed_out)
{
	struct waiting waiting = {.condition = (pthread_cond_t *)condition,
				  .mutex = (pthread_mutex_t *)mutex,
				  .pc = pc,
				  .logged = true,
				  .timed_out = timed_out,
				  .limited = limited};
	end_wait(&waiting);
}

int norn_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes, const void *pc)
{
	int result = NORN_REAL(pthread_cond_init)(condition, attributes);
	if (result == 0)
		norn_log_init(condition, pc);
	return result;
}

int norn_cond_destroy(pthread_cond_t *condition)
{
	return NORN_REAL(pthread_cond_destroy)(condition);
}

/* Out of the queue, and the mutex taken again; also when the thread is cancelled. */
struct sleep {
	struct norn_sleeper sleeper;
	struct waiting *waiting;
};

static void give_back(const struct waiting *waiting)
{
	if (waiting->give)
		waiting->give(waiting->mutex);
	else
		NORN_REAL(pthread_mutex_unlock)(waiting->mutex);
}

static int take_in_turn(pthread_mutex_t *mutex, const void *pc)
{
	int result;
	do
		result = norn_robust_try(mutex);
	while (result == EBUSY && norn_turn_awaits(LOG_WOKEN, mutex, pc));
	return result;
}

/* False: it is not scheduled. */
static bool sleep_in_turn(struct norn_sleeper *sleeper, const struct waiting *waiting,
			  bool *timed_out)
{
	bool moved = true;
	if (!norn_turn_on(&norn_self))
		return false;
	*timed_out = false;
	for (;;) {
		pthread_testcancel();
		if (__atomic_load_n(&sleeper->woken, __ATOMIC_SEQ_CST)) {
			*timed_out = false;
			return true;
		}
		*timed_out |= sleeper->gave_up;
		if (sleeper->gave_up)
			return true;
		if (!moved)
			return *timed_out;
		moved = norn_turn_waits(LOG_WOKEN, waiting->condition, waiting->pc,
					waiting->limited, timed_out);
	}
}

static void wake_up(struct sleep *sleep)
{
	pthread_mutex_t *mutex = sleep->waiting->mutex;
	norn_sleeper_remove(&sleep->sleeper);
	norn_self.turn.gave_up = sleep->waiting->timed_out;
	int result = 0;
	if (sleep->waiting->take) {
		sleep->waiting->take(mutex);
	} else if ((result = take_in_turn(mutex, sleep->waiting->pc)) == EBUSY) {
		norn_blocks(LOG_WOKEN, mutex, sleep->waiting->pc, NORN_FOR_EVER);
		result = NORN_REAL(pthread_mutex_lock)(mutex);
		norn_runs(true);
	}
	norn_self.turn.gave_up = false;
	sleep->waiting->locked = result;
}

/* By the plan, as far as it goes. The step that ends it is still to be ended. */
static struct norn_step sleep_in_replay(struct waiting *waiting, clockid_t clock,
					const struct timespec *until)
{
	__attribute__((cleanup(wake_up))) struct sleep sleep = {.waiting = waiting};
	struct norn_step step = norn_begin_step(LOG_WAIT, waiting->condition, waiting->pc);
	begin_wait(waiting);
	norn_sleeper_add(&sleep.sleeper, waiting->condition, waiting->limited, &step);
	give_back(waiting);
	norn_end_step(&step, waiting->logged);
	step = norn_begin_step(LOG_WOKEN, waiting->condition, waiting->pc);
	if (step.index != PLAN_NONE) {
		waiting->timed_out = until && sleep.sleeper.waker == PLAN_NONE;
		return step;
	}
	if (sleep_in_turn(&sleep.sleeper, waiting, &waiting->timed_out))
		return step;
	norn_blocks(LOG_WOKEN, waiting->condition, waiting->pc, NORN_FOR_EVER);
	struct timespec ours;
	if (!waiting->give)
		until = norn_real_until(clock, until, &ours, waiting->pc);
	waiting->timed_out = !norn_sleeper_sleep(&sleep.sleeper, clock, until);
	norn_runs(true);
	return step;
}

static int wait_in_replay(struct waiting *waiting, clockid_t clock, const struct timespec *until)
{
	struct norn_step step = sleep_in_replay(waiting, clock, until);
	end_wait(waiting);
	norn_end_step(&step, waiting->logged);
	waiting->logged = false;
	return waiting->locked ? waiting->locked : waiting->timed_out ? ETIMEDOUT : 0;
}

/* glibc's flags. */
static enum norn_how how_to_wait(const struct waiting *waiting)
{
	bool shared = waiting->condition->__data.__wrefs & 1 || waiting->mutex->__data.__kind & 128;
	return waiting->limited ? NORN_LIMITED : shared ? NORN_SHARED : NORN_FOR_EVER;
}

/* What limits the wait is not known; it only counts beyond the plan. */
#define LIMIT_SECONDS 1

bool norn_wait_in_replay(const void *condition, void *mutex, const void *pc, bool limited,
			 void (*give)(void *), void (*take)(void *))
{
	struct waiting waiting = {.condition = (pthread_cond_t *)condition,
				  .mutex = mutex,
				  .pc = pc,
				  .limited = limited,
				  .give = give,
				  .take = take};
	uint64_t now = norn_now();
	struct timespec until = {(time_t)(now / 1000000000) + LIMIT_SECONDS,
				 (long)(now % 1000000000)};
	return wait_in_replay(&waiting, CLOCK_MONOTONIC, limited ? &until : NULL) == 0;
}

static clockid_t clock_of(const pthread_cond_t *condition)
{
	return condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME; /* glibc's */
}

int norn_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until,
		   const void *pc)
{
	__attribute__((cleanup(end_wait))) struct waiting waiting = {
		.condition = condition, .mutex = mutex, .pc = pc, .limited = until};
	if (norn_replays())
		return wait_in_replay(&waiting, clock_of(condition), until);
	begin_wait(&waiting);
	norn_blocks(LOG_WOKEN, condition, pc, how_to_wait(&waiting));
	int result = until ? NORN_REAL(pthread_cond_timedwait)(condition, mutex, until)
			   : NORN_REAL(pthread_cond_wait)(condition, mutex);
	waiting.timed_out = result == ETIMEDOUT;
	return result;
}

void norn_log_signal(const void *condition, const void *pc, struct norn_step *step)
{
	struct norn_self *me = &norn_self;
	/* nobody else goes on before the signal is logged */
	bool first = norn_replays() && norn_turn_scheduled();
	uint32_t woken = first ? norn_wake_one(condition, step) : 0;
	if (norn_enter_sync(me, pc)) {
		struct norn_shard *shard = norn_shard_of(condition);
		norn_hold(me, shard);
		norn_put4(me, LOG_SIGNAL, norn_step_site(pc), norn_version(shard),
			  (uintptr_t)condition, (uintptr_t)pc, woken);
		norn_release(me, shard);
		norn_leave(me);
	}
	if (norn_replays() && !first)
		norn_wake_one(condition, step);
}

int norn_cond_signal(pthread_cond_t *condition, const void *pc)
{
	struct norn_step step = norn_begin_step(LOG_SIGNAL, condition, pc);
	norn_log_signal(condition, pc, &step);
	int result = norn_replays() ? 0 : NORN_REAL(pthread_cond_signal)(condition);
	norn_end_step(&step, true);
	return result;
}

int norn_cond_broadcast(pthread_cond_t *condition, const void *pc)
{
	struct norn_step step = norn_begin_step(LOG_BROADCAST, condition, pc);
	norn_log_object(LOG_BROADCAST, condition, pc);
	int result = 0;
	if (norn_replays())
		norn_wake_all(condition, &step);
	else
		result = NORN_REAL(pthread_cond_broadcast)(condition);
	norn_end_step(&step, true);
	return result;
}

int NORN_WRAPPER(pthread_cond_init)(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
	return norn_cond_init(condition, attributes, NORN_PC);
}

int NORN_WRAPPER(pthread_cond_destroy)(pthread_cond_t *condition)
{
	return norn_cond_destroy(condition);
}

/* A mutex that was given up while the thread slept is not taken; in the trace it is, for a moment,
 * since to be woken is one event with it. */
static int taken_again(pthread_mutex_t *mutex, int result)
{
	if (norn_replays())
		norn_misuse_taken(mutex, result == ETIMEDOUT ? 0 : result);
	if (result == ENOTRECOVERABLE)
		norn_log_release(mutex, NULL, false);
	return norn_robust_taken(mutex, result);
}

int NORN_WRAPPER(pthread_cond_wait)(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	norn_robust_leaves(mutex);
	return taken_again(mutex, norn_cond_wait(condition, mutex, NULL, NORN_PC));
}

int NORN_WRAPPER(pthread_cond_timedwait)(pthread_cond_t *condition, pthread_mutex_t *mutex,
					 const struct timespec *until)
{
	norn_robust_leaves(mutex);
	return taken_again(mutex, norn_cond_wait(condition, mutex, until, NORN_PC));
}

static int wait_by_clock(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
			 const struct timespec *until, const void *pc)
{
	__attribute__((cleanup(end_wait))) struct waiting waiting = {
		.condition = condition, .mutex = mutex, .pc = pc, .limited = true};
	if (norn_replays())
		return wait_in_replay(&waiting, clock, until);
	begin_wait(&waiting);
	norn_blocks(LOG_WOKEN, condition, NORN_PC, NORN_LIMITED);
	int result = NORN_REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
	waiting.timed_out = result == ETIMEDOUT;
	return result;
}

int NORN_WRAPPER(pthread_cond_clockwait)(pthread_cond_t *condition, pthread_mutex_t *mutex,
					 clockid_t clock, const struct timespec *until)
{
	norn_robust_leaves(mutex);
	return taken_again(mutex, wait_by_clock(condition, mutex, clock, until, NORN_PC));
}

int NORN_WRAPPER(pthread_cond_signal)(pthread_cond_t *condition)
{
	return norn_cond_signal(condition, NORN_PC);
}

int NORN_WRAPPER(pthread_cond_broadcast)(pthread_cond_t *condition)
{
	return norn_cond_broadcast(condition, NORN_PC);
}
