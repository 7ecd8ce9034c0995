/* SPDX-License-Identifier: MIT */
/*
 * Signals that end the program because it went wrong: who got it, where, and why is the last record
 * of its thread (LOG_CRASH). Then it ends as it would without us.
 *
 * What the program sees of handlers is as if ours were not there: signals.c.
 */
#ifndef RUNTIME_CRASH_H
#define RUNTIME_CRASH_H

#include <signal.h>

#include "runtime/self.h"

/* A thread of the run begins, ends. */
NORN_HIDDEN void norn_crash_thread(struct norn_self *me);
NORN_HIDDEN void norn_crash_thread_ends(struct norn_self *me);
/* If nothing else is said of these signals, and the run is recorded. */
NORN_HIDDEN void norn_crash_begin(void);
/* What stands for SIG_DFL: true, and `action` is ours, if it is one of these signals. */
NORN_HIDDEN bool norn_crash_action(int signal, struct sigaction *action);
/* The signal has our action now, or another one. */
NORN_HIDDEN void norn_crash_set(int signal, bool ours);
NORN_HIDDEN bool norn_is_crash_action(const struct sigaction *action);

#endif
