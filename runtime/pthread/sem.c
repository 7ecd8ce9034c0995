/* SPDX-License-Identifier: MIT */
/*
 * Semaphores. The log has a count of its own (shadow.h): posts are counted before they happen and
 * waits afterwards, so it is never less than what there is. Where somebody outside has a hand in it
 * (another process, code that runs before the log), the log is given what it takes to agree.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

#include "runtime/blocked.h"
#include "runtime/inputs.h"
#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/libc/ranges.h"
#include "runtime/real.h"
#include "runtime/libc/replaced.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/schedule.h"

static void put_init(struct norn_self *me, struct norn_shard *shard, sem_t *sem, const void *pc,
		     int64_t count)
{
	norn_put4(me, LOG_SEM_INIT, 0, norn_version(shard), (uintptr_t)sem, (uintptr_t)pc,
		  (uint64_t)count);
	norn_release(me, shard);
	norn_hold(me, shard);
}

/* One that is seen for the first time has its count now, and what was taken from it just before. */
static struct norn_shadow *find(struct norn_self *me, struct norn_shard *shard, sem_t *sem,
				const void *pc, int taken)
{
	struct norn_shadow *entry = norn_shadow_find(shard, sem, NORN_SEMAPHORE, 0);
	if (entry)
		return entry;
	int count = 0;
	sem_getvalue(sem, &count);
	entry = norn_shadow_add(shard, sem, NORN_SEMAPHORE);
	if (entry) {
		entry->count = (count > 0 ? count : 0) + taken;
		put_init(me, shard, sem, pc, entry->count);
	}
	return entry;
}

static void log_init(sem_t *sem, const void *pc, int64_t count)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	struct norn_shard *shard = norn_shard_of(sem);
	norn_hold(me, shard);
	norn_shadow_drop(shard, sem);
	struct norn_shadow *entry = norn_shadow_add(shard, sem, NORN_SEMAPHORE);
	if (entry)
		entry->count = count;
	norn_put4(me, LOG_SEM_INIT, norn_step_site(pc), norn_version(shard), (uintptr_t)sem,
		  (uintptr_t)pc, (uint64_t)count);
	norn_release(me, shard);
	norn_leave(me);
}

static void log_post(sem_t *sem, const void *pc)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter_sync(me, pc))
		return;
	struct norn_shard *shard = norn_shard_of(sem);
	norn_hold(me, shard);
	struct norn_shadow *entry = find(me, shard, sem, pc, 0);
	if (entry)
		entry->count++;
	norn_put3(me, LOG_SEM_POST, norn_step_site(pc), norn_version(shard), (uintptr_t)sem,
		  (uintptr_t)pc);
	norn_release(me, shard);
	norn_leave(me);
}

static void log_wait(sem_t *sem, const void *pc, uint32_t tries)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter_sync(me, pc))
		return;
	struct norn_shard *shard = norn_shard_of(sem);
	norn_hold(me, shard);
	struct norn_shadow *entry = find(me, shard, sem, pc, 1);
	if (entry && entry->count-- == 0) {
		/* Somebody outside has posted. */
		entry->count = 0;
		norn_put3(me, LOG_SEM_POST, 0, norn_version(shard), (uintptr_t)sem, (uintptr_t)pc);
		norn_release(me, shard);
		norn_hold(me, shard);
	}
	norn_put3(me, LOG_SEM_WAIT, norn_step_site(pc) | tries, norn_version(shard), (uintptr_t)sem,
		  (uintptr_t)pc);
	norn_release(me, shard);
	norn_leave(me);
}

static enum norn_failed log_failed(sem_t *sem, const void *pc, uint32_t *tries,
				   struct norn_step *step)
{
	struct norn_self *me = &norn_self;
	if (norn_step_succeeds(step)) {
		norn_wait(tries);
		return NORN_TRY_AGAIN;
	}
	if (!norn_enter_sync(me, pc))
		return NORN_FAILED;
	struct norn_shard *shard = norn_shard_of(sem);
	norn_hold(me, shard);
	struct norn_shadow *entry = find(me, shard, sem, pc, 0);
	bool agrees = entry && entry->count == 0;
	if (agrees) {
		norn_put3(me, LOG_SEM_FAIL, norn_step_site(pc), norn_version(shard), (uintptr_t)sem,
			  (uintptr_t)pc);
		norn_release(me, shard);
	} else {
		norn_release_unchanged(me, shard);
	}
	norn_leave(me);
	if (agrees || *tries > NORN_TRIES_MOST) {
		norn_end_step(step, agrees);
		return NORN_FAILED;
	}
	norn_wait(tries);
	return NORN_TRY_AGAIN;
}

/* What `find` would take for a sem_t. */
static void know(const void *semaphore, const void *pc)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	struct norn_shard *shard = norn_shard_of(semaphore);
	norn_hold(me, shard);
	if (!norn_shadow_find(shard, semaphore, NORN_SEMAPHORE, 0) &&
	    norn_shadow_add(shard, semaphore, NORN_SEMAPHORE))
		put_init(me, shard, (sem_t *)semaphore, pc, 0);
	norn_release_unchanged(me, shard);
	norn_leave(me);
}

void norn_log_sem_init(const void *semaphore, const void *pc, int64_t count)
{
	log_init((sem_t *)semaphore, pc, count);
}

void norn_log_sem_post(const void *semaphore, const void *pc)
{
	know(semaphore, pc);
	log_post((sem_t *)semaphore, pc);
}

void norn_log_sem_wait(const void *semaphore, const void *pc, uint32_t tries)
{
	know(semaphore, pc);
	log_wait((sem_t *)semaphore, pc, tries);
}

enum norn_failed norn_log_sem_failed(const void *semaphore, const void *pc, uint32_t *tries,
				     struct norn_step *step)
{
	know(semaphore, pc);
	return log_failed((sem_t *)semaphore, pc, tries, step);
}

/*
 * The count of a semaphore is no event, but another thread may ask for it (sem_getvalue). Where the
 * program has such a call, changes of counts keep their order with it, by a channel for all
 * semaphores: before and behind, as for all that can be looked at at any time.
 */
static struct norn_channel norn_sem_values;
static bool values_asked;

void __norn_asks_semaphores(void)
{
	values_asked = true;
}

static void value_changes(void)
{
	if (values_asked)
		norn_channel_count(&norn_sem_values);
}

static int got(sem_t *sem, const void *pc, struct norn_step *step)
{
	log_wait(sem, pc, step->tries);
	value_changes();
	norn_end_step(step, true);
	return 0;
}

static int try_to_wait(sem_t *sem, const void *pc, struct norn_step *step)
{
	for (uint32_t tries = 0;;) {
		int result = NORN_REAL(sem_trywait)(sem);
		if (result == 0)
			return got(sem, pc, step);
		if (errno != EAGAIN || log_failed(sem, pc, &tries, step) == NORN_FAILED)
			return result;
	}
}

static int fail_as_planned(sem_t *sem, const void *pc, struct norn_step *step, int error)
{
	norn_log_planned_failure(sem, pc, step, -1);
	errno = error;
	return -1;
}

/* Among threads that are scheduled. */
static bool got_in_turn(sem_t *sem, const void *pc, struct norn_step *step, bool limited,
			bool *expired)
{
	int saved = errno;
	*expired = false;
	if (!norn_replays())
		return false;
	do {
		pthread_testcancel();
		if (NORN_REAL(sem_trywait)(sem) == 0) {
			got(sem, pc, step);
			errno = saved;
			return true;
		}
	} while (norn_turn_waits(LOG_SEM_WAIT, sem, pc, limited, expired));
	errno = saved;
	return false;
}

/* Without a wait, if that can be; it is a point of cancellation all the same. */
static bool got_at_once(sem_t *sem, const void *pc, struct norn_step *step, enum norn_how how)
{
	int saved = errno;
	pthread_testcancel();
	if (NORN_REAL(sem_trywait)(sem) == 0) {
		got(sem, pc, step);
		return true;
	}
	errno = saved;
	norn_log_time(&norn_self);
	norn_blocks(LOG_SEM_WAIT, sem, pc, how);
	return false;
}

/* glibc keeps there whether other processes share it. */
static enum norn_how how_to_wait(const sem_t *sem)
{
	return ((const int *)sem)[2] ? NORN_SHARED : NORN_FOR_EVER;
}

static int waited(sem_t *sem, int result, const void *pc, struct norn_step *step)
{
	norn_runs(result == 0);
	if (result == 0)
		return got(sem, pc, step);
	if (errno == ETIMEDOUT) {
		/* By now there may be something to take. */
		result = try_to_wait(sem, pc, step);
		if (result != 0)
			errno = ETIMEDOUT;
	}
	return result;
}

static int wait_until(sem_t *sem, clockid_t clock, const struct timespec *until, const void *pc)
{
	value_changes();
	struct norn_step step = norn_begin_try(LOG_SEM_WAIT, sem, pc);
	if (norn_step_fails(&step))
		return fail_as_planned(sem, pc, &step, ETIMEDOUT);
	if (norn_step_succeeds(&step))
		return try_to_wait(sem, pc, &step);
	NORN_UNBLOCKS;
	bool expired;
	if (got_in_turn(sem, pc, &step, true, &expired))
		return 0;
	if (expired) {
		int result = try_to_wait(sem, pc, &step);
		errno = result ? ETIMEDOUT : errno;
		return result;
	}
	if (got_at_once(sem, pc, &step, NORN_LIMITED))
		return 0;
	struct timespec ours;
	until = norn_real_until(clock, until, &ours, pc);
	return waited(sem,
		      clock == CLOCK_REALTIME ? NORN_REAL(sem_timedwait)(sem, until)
					      : NORN_REAL(sem_clockwait)(sem, clock, until),
		      pc, &step);
}

int NORN_WRAPPER(sem_init)(sem_t *sem, int shared, unsigned count)
{
	struct norn_step step = norn_begin_step(LOG_SEM_INIT, sem, NORN_PC);
	int result = NORN_REAL(sem_init)(sem, shared, count);
	if (result == 0)
		log_init(sem, NORN_PC, count);
	norn_end_step(&step, result == 0);
	return result;
}

int NORN_WRAPPER(sem_destroy)(sem_t *sem)
{
	norn_log_destroy(sem);
	return NORN_REAL(sem_destroy)(sem);
}

sem_t *NORN_WRAPPER(sem_open)(const char *name, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	unsigned count = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;
	va_end(arguments);
	sem_t *sem = NORN_REAL(sem_open)(name, flags, mode, count);
	struct norn_self *me = &norn_self;
	if (sem == SEM_FAILED || !norn_enter(me))
		return sem;
	/* Opened twice, it is the same, at one address. */
	struct norn_shard *shard = norn_shard_of(sem);
	norn_hold(me, shard);
	find(me, shard, sem, NORN_PC, 0);
	norn_release_unchanged(me, shard);
	norn_leave(me);
	return sem;
}

int NORN_WRAPPER(sem_wait)(sem_t *sem)
{
	value_changes();
	struct norn_step step = norn_begin_step(LOG_SEM_WAIT, sem, NORN_PC);
	NORN_UNBLOCKS;
	bool expired;
	if (got_in_turn(sem, NORN_PC, &step, false, &expired))
		return 0;
	if (got_at_once(sem, NORN_PC, &step, how_to_wait(sem)))
		return 0;
	return waited(sem, NORN_REAL(sem_wait)(sem), NORN_PC, &step);
}

int NORN_WRAPPER(sem_trywait)(sem_t *sem)
{
	value_changes();
	struct norn_step step = norn_begin_try(LOG_SEM_WAIT, sem, NORN_PC);
	if (norn_step_fails(&step))
		return fail_as_planned(sem, NORN_PC, &step, EAGAIN);
	return try_to_wait(sem, NORN_PC, &step);
}

int NORN_WRAPPER(sem_timedwait)(sem_t *sem, const struct timespec *until)
{
	return wait_until(sem, CLOCK_REALTIME, until, NORN_PC);
}

int NORN_WRAPPER(sem_clockwait)(sem_t *sem, clockid_t clock, const struct timespec *until)
{
	return wait_until(sem, clock, until, NORN_PC);
}

int NORN_WRAPPER(sem_post)(sem_t *sem)
{
	value_changes();
	struct norn_step step = norn_begin_step(LOG_SEM_POST, sem, NORN_PC);
	log_post(sem, NORN_PC);
	int result = NORN_REAL(sem_post)(sem);
	norn_end_step(&step, true);
	value_changes();
	return result;
}

int __norn_sem_getvalue(sem_t *sem, int *to)
{
	int value;
	norn_channel_look(&norn_sem_values);
	int result = sem_getvalue(sem, &value);
	norn_channel_look(&norn_sem_values);
	if (result == 0)
		norn_put(NORN_PC, to, &value, sizeof value);
	return result;
}
