/* SPDX-License-Identifier: MIT */
#include "runtime/replay/cond.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>

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

void norn_sleeper_add(struct norn_sleeper *sleeper, const void *condition,
		      const struct norn_step *wait)
{
	*sleeper = (struct norn_sleeper){.condition = condition};
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

void norn_wake_one(const void *condition, const struct norn_step *signal)
{
	struct norn_sleeper *first = NULL, *named = NULL;
	uintptr_t busy = lock_queue();
	for (struct norn_sleeper *s = queue.first; s; s = s->next) {
		if (s->condition != condition || s->woken)
			continue;
		if (!s->planned && !first)
			first = s;
		if (s->planned && signal->index != PLAN_NONE && s->waker == signal->index + 1)
			named = s;
	}
	if (named || first)
		wake(named ? named : first);
	unlock_queue(busy);
}

void norn_wake_all(const void *condition)
{
	uintptr_t busy = lock_queue();
	for (struct norn_sleeper *s = queue.first; s; s = s->next)
		if (s->condition == condition && !s->woken && (!s->planned || s->waker))
			wake(s);
	unlock_queue(busy);
}
