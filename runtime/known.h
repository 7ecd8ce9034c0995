/*
 * Functions outside the program that Norn knows. Calls from instrumented code to those of
 * NORN_REPLACED go to __norn_NAME instead, which does the same and logs what it reads
 * and writes of the caller's memory. Those of NORN_INTERPOSED are defined by the runtime
 * under their own names, for callers that are not instrumented too. Those of NORN_QUIET touch
 * no memory that the program could share. All others are listed as unknown in the trace.
 */
#ifndef RUNTIME_KNOWN_H
#define RUNTIME_KNOWN_H

/* clang-format off */
#define NORN_REPLACED(row) \
	row(memcmp) row(strlen) row(strcmp)

#define NORN_INTERPOSED(row) \
	row(pthread_create) row(pthread_join) row(pthread_mutex_lock) row(pthread_mutex_unlock) \
	row(malloc) row(free)

#define NORN_QUIET(row) \
	row(abs) row(getpid) row(sched_yield)
/* clang-format on */

#endif
