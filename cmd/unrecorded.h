/* SPDX-License-Identifier: MIT */
/* A program that ran and left no record: why, as far as it can be seen. */
#ifndef CMD_UNRECORDED_H
#define CMD_UNRECORDED_H

#include "record/run/launch.h"

void say_unrecorded(const char *program, const struct launch_result *run);

#endif
