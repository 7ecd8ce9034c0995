/* SPDX-License-Identifier: MIT */
/*
 * Condition variables in replay: who sleeps on which, kept by the runtime, so that a signal wakes
 * the thread that the plan names, and nobody wakes without one. What the plan does not say goes by
 * who came first. Who has a time limit, and sleeps where the plan's signal wakes nobody, has given
 * up: else the signal would have woken it. A sleeper is on the stack of its thread; it is in the
 * queue from before the mutex is given back until it has woken.
 */
#ifndef RUNTIME_REPLAY_COND_H
#define RUNTIME_REPLAY_COND_H

#include <time.h>

#include "runtime/replay/replay.h"

struct norn_sleeper {
	const void *condition;
	struct norn_sleeper *next;
	uint32_t thread;
	bool limited;	/* it does not wait for ever */
	bool planned;	/* the plan has the end of its wait */
	bool gave_up;	/* its time limit is over: no signal wakes it */
	uint32_t waker; /* as norn_replay_waker says */
	uint32_t woken; /* a futex */
};

/* `wait`: the step that it goes to sleep in. */
NORN_HIDDEN void norn_sleeper_add(struct norn_sleeper *sleeper, const void *condition, bool limited,
				  const struct norn_step *wait);
NORN_HIDDEN void norn_sleeper_remove(struct norn_sleeper *sleeper);
/* Until it is woken; false: it was not, by the given time. A point of cancellation. */
NORN_HIDDEN bool norn_sleeper_sleep(struct norn_sleeper *sleeper, clockid_t clock,
				    const struct timespec *until);
/* 1 + the thread that was woken, LOG_NOBODY: none. */
NORN_HIDDEN uint32_t norn_wake_one(const void *condition, const struct norn_step *signal);
NORN_HIDDEN void norn_wake_all(const void *condition, const struct norn_step *broadcast);

#endif
