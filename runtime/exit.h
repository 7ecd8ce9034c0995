/* SPDX-License-Identifier: MIT */
/*
 * The end of the program by exit or by a return from main: threads that still run get some time to
 * finish what they do (log_run.exit_wait), so that it is recorded. Handlers at exit, destructors
 * and the last writes of streams come afterwards. In replay nobody ends the program before the
 * plan is at its end.
 */
#ifndef RUNTIME_EXIT_H
#define RUNTIME_EXIT_H

#include "runtime/self.h"

/* Before the program ends without that, or becomes another one. */
NORN_HIDDEN void norn_before_sudden_end(void);

/* In a child of fork: nobody has called exit yet. */
NORN_HIDDEN void norn_exit_in_child(void);

#endif
