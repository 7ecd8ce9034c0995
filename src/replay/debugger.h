/* SPDX-License-Identifier: MIT */
/* The debugger of a replay: a script for gdb, which finds the program and adds commands. */
#ifndef REPLAY_DEBUGGER_H
#define REPLAY_DEBUGGER_H

#include "replay/replay.h"

/*
 * Writes the script to the directory of the run, where it goes with the rest; path gets its name.
 * batch: nobody is at a terminal.
 */
int debugger_write_script(const struct replay_stop *at, bool batch, char *path, size_t room,
			  struct err *err);

#endif
