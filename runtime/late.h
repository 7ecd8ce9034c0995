/* SPDX-License-Identifier: MIT */
/*
 * A recording that begins while the program runs. Until then threads are paused: their hooks and
 * wrappers do all that they do else, but what they log goes nowhere.
 *
 * Whoever notices first that the recording is wanted begins it. Threads that come to a hook are
 * parked at its beginning, and when no thread is inside a hook any more, that moment is the
 * beginning. Code without hooks, and calls that wait, go on meanwhile; what they do next in a hook
 * is logged. If threads inside hooks do not come out soon, since they wait for a parked one, all go
 * on, and it is tried again.
 *
 * What is the case at that moment is logged in place of how it came to be: each thread begins, and
 * takes the locks that it holds; one that waits on a condition waits with a lock of its own, and
 * takes the mutex again behind that. Semaphores, barriers and hidden counters have their values.
 * No thread does anything else before all have come so far (`came`, `beginning`).
 */
#ifndef RUNTIME_LATE_H
#define RUNTIME_LATE_H

#include "runtime/self.h"

/* Of a run: whether it waits to be begun. */
NORN_HIDDEN void norn_late_begin(bool waits);
/* In a child of fork, which has a run of its own: it does not. */
NORN_HIDDEN void norn_late_in_child(struct norn_self *me);

/* A thread's log is to begin: whether it is paused. It is busy, and outlives this until: */
NORN_HIDDEN bool norn_late_waits(struct norn_self *me);
NORN_HIDDEN void norn_late_forget(struct norn_self *me);
/* Its LOG_BEGIN has been logged, or was to be. */
NORN_HIDDEN void norn_late_begun(struct norn_self *me, void *stack, uint64_t size);

/* At the beginning of a hook of a paused thread: behind it the recording may have begun. */
NORN_HIDDEN void norn_late_look(struct norn_self *me);

/* The thread is busy, and what it was in when the recording began is over: it comes behind the
 * beginning. Woken: with the lock of its own, which it gives back. */
NORN_HIDDEN void norn_late_pass(struct norn_self *me);
NORN_HIDDEN void norn_late_woken(struct norn_self *me);

#endif
