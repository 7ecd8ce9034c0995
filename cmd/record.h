/* SPDX-License-Identifier: MIT */
/* What norn record does; norn run does so before it predicts. */
#ifndef CMD_RECORD_H
#define CMD_RECORD_H

#include "cmd/recording.h"

#include <stdint.h>

struct record_flags {
	const char *output;
	const char *control;
	uint64_t max_events, max_size, max_input, timeout, exit_wait, hang, start_after,
		skip_events;
	bool keep_all, follow, verbose, paused;
	bool tests; /* a program that has nothing of Norn is no error: RECORD_NOTHING */
};

#define RECORD_NOTHING (-1)

struct record_outcome {
	int status; /* of the program */
	int signal; /* that ended it, which was said; or 0 */
	struct recording_traces
		traces; /* the program's, and then those of processes that it made */
};

/*
 * Runs argv and writes its trace to that file, whatever `output` says. Returns 0, or the exit
 * status and it was said why there is no trace; or RECORD_NOTHING, and status is the program's.
 */
int record_program(const struct record_flags *o, const char *path, char **argv,
		   struct record_outcome *outcome);
void record_outcome_release(struct record_outcome *outcome);

#endif
