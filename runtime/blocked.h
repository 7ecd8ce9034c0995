/* SPDX-License-Identifier: MIT */
/*
 * Calls that wait for other threads: told to the log before they wait (LOG_BLOCKED), and counted in
 * the run, so that norn record can see that nobody moves any more. In replay they are told to norn
 * replay instead.
 *
 * A thread counts as blocked only while it is in the real function, and if nobody but another
 * thread can end that: no time limit. Whether another process can, through an object that it
 * shares, norn record finds out.
 */
#ifndef RUNTIME_BLOCKED_H
#define RUNTIME_BLOCKED_H

#include "runtime/log.h"
#include "runtime/self.h"

enum norn_how {
	NORN_FOR_EVER,
	NORN_LIMITED, /* a time limit */
	NORN_SHARED,  /* with other processes, perhaps */
	NORN_SPINS,   /* for ever, and never sleeps */
};

/* Once it is known that the call has to wait. `object`: of LOG_JOIN the thread's number + 1. */
NORN_HIDDEN void norn_blocks(enum log_kind kind, const void *object, const void *pc,
			     enum norn_how how);
/* Behind it. `happened`: a record that says so comes next. */
NORN_HIDDEN void norn_runs(bool happened);

/* For calls that a cancellation may end. */
NORN_INLINE void norn_unblock(const char *unused)
{
	(void)unused;
	if (norn_self.waits)
		norn_runs(false);
}
#define NORN_UNBLOCKS __attribute__((cleanup(norn_unblock), unused)) const char norn_unblocks = 0

/* A thread of the run begins, ends. */
NORN_HIDDEN void norn_thread_begins(void);
NORN_HIDDEN void norn_thread_ends(void);

#endif
