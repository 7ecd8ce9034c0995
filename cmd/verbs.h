/* SPDX-License-Identifier: MIT */
/* One descriptor a verb. A new verb is a new file, a line here and a row in main.c. */
#ifndef CMD_VERBS_H
#define CMD_VERBS_H

#include "cmd/cmd.h"

extern const struct command cc_command;
extern const struct command certify_command;
extern const struct command check_command;
extern const struct command completion_command;
extern const struct command convert_command;
extern const struct command csp_command;
extern const struct command cxx_command;
extern const struct command explore_command;
extern const struct command help_command;
extern const struct command hunt_command;
extern const struct command merge_command;
extern const struct command orders_command;
extern const struct command pairs_command;
extern const struct command predict_command;
extern const struct command record_command;
extern const struct command replay_command;
extern const struct command report_command;
extern const struct command run_command;
extern const struct command show_command;
extern const struct command test_command;
extern const struct command try_command;

#endif
