/* SPDX-License-Identifier: MIT */
/* A command that drives the program from outside while that is replayed. */
#ifndef REPLAY_CLIENT_H
#define REPLAY_CLIENT_H

#include <sys/types.h>

/* Runs it by the shell, as a process group of its own, without standard input, and with our
 * standard error as its output. Returns its process; negative, and errno tells. */
pid_t client_begin(const char *command);
/* Ends it, and what it has started in its group. */
void client_end(pid_t client);

#endif
