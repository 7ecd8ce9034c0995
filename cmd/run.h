/* SPDX-License-Identifier: MIT */
/* What norn run does with a program that is there already; norn try does so with one it made. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "cmd/cmd.h"
#include "cmd/record.h"
#include "cmd/report_files.h"

struct run_options {
	struct record_flags record;
	const char *report, *budget, *time;
	struct option_list bugs, properties, suppressions;
	uint64_t timeout; /* of a replay */
	bool json, sarif, no_optimism;
	struct report_files files;
};

/* 0, or EXIT_USAGE and it was said, for the verb, what does not go together. */
int run_check_usage(const struct run_options *o, const char *verb);
/* Records, predicts and replays; the trace goes to a file of that name. keep: witnesses stay beside
 * it. Returns the exit status. */
int run_program(const struct run_options *o, const char *trace, bool keep, char **program);

#endif
