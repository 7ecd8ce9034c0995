/* SPDX-License-Identifier: MIT */
/* Processes that the program leaves behind, and that go on when it is over. */
#ifndef RECORD_RUN_CHILDREN_H
#define RECORD_RUN_CHILDREN_H

#include "runtime/log.h"

#include <sys/types.h>

/* After the program's end: notes in the run whether one of its children, that is not recorded, goes
 * on as the same program; a daemon, say. Those that are about to end get a moment. */
void children_look(struct log_run *run);

/* Of a child's recording of its own, in that directory: it gets a moment to end; if it does not,
 * its log ends here, and says so. */
void children_end_recording(const char *directory);

/* After the program's end: of the processes that are recorded apart, one that still runs, first one
 * whose parent we are; 0: none does. */
pid_t children_followed(const char *directory);

#endif
