/* SPDX-License-Identifier: MIT */
/*
 * Whether a recorded program hangs: all its threads wait for each other, and nothing can change
 * that.
 *
 * The runtime counts threads that wait in calls that it knows, without a time limit, for what only
 * another thread can do (runtime/blocked.h). If these are all that the kernel has of the process,
 * all asleep but those that spin, no handler of a signal could run, and nobody waits for what is in
 * memory that other processes may share, then nobody is left who could move. It has to be so for
 * some seconds, in which nothing changes.
 *
 * Never so: a thread that the runtime does not know; one that sleeps, reads, polls or computes; a
 * program that handles a signal, since that may come from outside at any time.
 */
#ifndef RECORD_RUN_HANG_H
#define RECORD_RUN_HANG_H

#include "runtime/log.h"

#include <stdbool.h>

struct hang {
	const char *directory; /* of the recording: its own files are mapped, too */
	double since;	       /* when it was first seen to be so, 0: it is not */
	uint64_t blocked;      /* by then, and how often that had changed */
};

/* Looks at the run, now and then. True: it has been so for that long. */
bool hang_look(struct hang *h, const struct log_run *run, double seconds);
/* Whether the threads that the run counts are all there are, all sleep, and no signal has a
 * handler: if these wait for each other, it is for ever. */
bool hang_all_sleep(const struct log_run *run);
/* Ends it. Its threads are asked where they stand, and have a moment to say so. */
void hang_end(struct log_run *run);

#endif
