/* SPDX-License-Identifier: MIT */
/*
 * The other threads of the process, as the kernel sees them (/proc/self/task): whether there are
 * any, and whether each waits in a call that only another thread can end. The kernel knows that
 * of all threads and calls, also of those that no hook or wrapper sees.
 */
#ifndef RUNTIME_TASKS_H
#define RUNTIME_TASKS_H

#include "runtime/self.h"

struct norn_tasks {
	bool known;	 /* the rest is: there is a /proc */
	uint32_t others; /* threads beside this one that have not ended */
	bool all_wait;	 /* each of them, without a limit of time */
	uint64_t digest; /* the same as before, and all wait: nobody has moved in between */
};

NORN_HIDDEN void norn_tasks_look(struct norn_tasks *tasks);

#endif
