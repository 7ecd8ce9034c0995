/* SPDX-License-Identifier: MIT */
#include "runtime/replay/cond.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>

#include "runtime/replay/parts.h"
#include "runtime/replay/schedule.h"
#include "runtime/run.h"
#include "runtime/sys.h"

static struct {
	struct norn_spin lock;
	struct norn_sleeper *first, **end;
} queue;

/* Nothing of the program runs in this thread while it has the lock. */
static uintptr_t lock_queue(void)
{
	uintptr_t busy = norn_self.busy;
	norn_self.busy = busy ? busy : 1;
	NORN_COMPILER_BARRIER();
	norn_spin_lock(&queue.lock);
	if (!queue.end)
		queue.end = &queue.first;
	return busy;
}

static void unlock_queue(uintptr_t busy)
{
	norn_spin_unlock(&queue.lock);
	NORN_COMPILER_BARRIER();
	norn_self.busy = busy;
	if (!busy)
		norn_leave(&norn_self);
}

void norn_sleeper_add(struct norn_sleeper *sleeper, const void *condition, bool limited,
		      const struct norn_step *wait)
{
	*sleeper = (struct norn_sleeper){
		.condition = condition, .thread = norn_self.number, .limited = limited};
	sleeper->planned = norn_replay_waker(wait, &sleeper->waker);
	uintptr_t busy = lock_queue();
	*queue.end = sleeper;
	queue.end = &sleeper->next;
	unlock_queue(busy);
}

void norn_sleeper_remove(struct norn_sleeper *sleeper)
{
	uintptr_t busy = lock_queue();
	struct norn_sleeper **at = &queue.first;
	while (*at != sleeper)
		at = &(*at)->next;
	*at = sleeper->next;
	if (!*at)
		queue.end = at;
	unlock_queue(busy);
}

bool norn_sleeper_sleep(struct norn_sleeper *sleeper, clockid_t clock, const struct timespec *until)
{
	int operation = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG;
	int old;
	long result = 0;
	if (clock == CLOCK_REALTIME)
		operation |= FUTEX_CLOCK_REALTIME;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	while (!__atomic_load_n(&sleeper->woken, __ATOMIC_SEQ_CST) && result != -ETIMEDOUT)
		result = NORN_SYS(futex, &sleeper->woken, operation, 0, until, 0,
				  FUTEX_BITSET_MATCH_ANY);
	pthread_setcanceltype(old, NULL);
	return __atomic_load_n(&sleeper->woken, __ATOMIC_SEQ_CST);
}

/* Under the lock, since the sleeper may be gone once it is removed. */
static void wake(struct norn_sleeper *sleeper)
{
	__atomic_store_n(&sleeper->woken, 1, __ATOMIC_SEQ_CST);
	NORN_SYS(futex, &sleeper->woken, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* Whom the plan's own steps wake, and those that follow it. */
static bool is_named(const struct norn_sleeper *s, const struct norn_step *signal)
{
	if (signal->wakes)
		return s->thread < norn_plan->threads && norn_replay.threads[s->thread].wakes;
	return signal->index != PLAN_NONE && s->waker == signal->index + 1;
}

/* Nothing is said of it: it may be any of those that wait. */
static bool is_free(const struct norn_sleeper *s, const struct norn_step *signal)
{
	if (signal->wakes)
		return false;
	return signal->index == PLAN_NONE ? !s->planned : !s->waker;
}

static bool sleeps_on(const struct norn_sleeper *s, const void *condition)
{
	return s->condition == condition && !s->woken && !s->gave_up;
}

/* Those that the signal would wake, and does not. */
static void give_up(const void *condition, const struct norn_step *signal)
{
	if (!norn_turn_scheduled() || (!signal->wakes && signal->index == PLAN_NONE))
		return;
	for (struct norn_sleeper *s = queue.first; s; s = s->next)
		if (sleeps_on(s, condition))
			s->gave_up = s->limited;
}

/* The one that is named; or, of those that may be woken, the rank-th in the order in which they
 * came. *count: how many may. */
static struct norn_sleeper *find_sleeper(const void *condition, const struct norn_step *signal,
					 uint32_t rank, uint32_t *count)
{
	struct norn_sleeper *found = NULL;
	*count = 0;
	for (struct norn_sleeper *s = queue.first; s; s = s->next) {
		if (!sleeps_on(s, condition))
			continue;
		if (is_named(s, signal)) {
			*count = 1;
			return s;
		}
		if (is_free(s, signal) && (*count)++ == rank)
			found = s;
	}
	return found;
}

uint32_t norn_wake_one(const void *condition, const struct norn_step *signal)
{
	uint32_t count;
	uintptr_t busy = lock_queue();
	find_sleeper(condition, signal, 0, &count);
	unlock_queue(busy);
	uint32_t rank = norn_turn_chooses(count);
	busy = lock_queue();
	struct norn_sleeper *chosen = find_sleeper(condition, signal, rank, &count);
	uint32_t woken = chosen ? chosen->thread + 1 : LOG_NOBODY;
	if (chosen)
		wake(chosen);
	else
		give_up(condition, signal);
	unlock_queue(busy);
	return woken;
}

void norn_wake_all(const void *condition, const struct norn_step *broadcast)
{
	uintptr_t busy = lock_queue();
	for (struct norn_sleeper *s = queue.first; s; s = s->next)
		if (sleeps_on(s, condition) && (is_named(s, broadcast) || is_free(s, broadcast)))
			wake(s);
	give_up(condition, broadcast);
	unlock_queue(busy);
}
