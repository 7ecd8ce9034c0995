/* SPDX-License-Identifier: MIT */
/*
 * Signals that the whole process group gets reach the recorded program, too: they must not be
 * forwarded to it. A process of ours in the group, which does nothing, tells which these were.
 */
#ifndef RECORD_RUN_GROUP_H
#define RECORD_RUN_GROUP_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct group {
	pid_t member; /* 0: there is none */
	int ask, answer;
};

/* `signals` are those that it is asked about. Without it, nothing is known of any. */
void group_begin(struct group *g, const sigset_t *signals);
/* A bit for each signal that has come since it was asked last, 1 << number. */
uint64_t group_signals(const struct group *g);
void group_end(struct group *g);

#endif
