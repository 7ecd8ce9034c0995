/* SPDX-License-Identifier: MIT */
/*
 * Other programs, run a few at a time and waited for. They get our standard streams,
 * environment and directory. A signal that ends us ends the programs that run, too (spawn_stop).
 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include "base/err.h"

/*
 * Runs argv, whose first word is a path or is looked up in PATH. Returns its exit status; 128 and
 * the number of the signal that ended it; or negative if it could not be started.
 */
int spawn_wait(const char *const *argv, struct err *err);

/*
 * The same, with another program beside it, which is waited for, too. `beside` becomes its status,
 * negative if it could not be started.
 */
int spawn_wait_both(const char *const *argv, const char *const *other, int *beside,
		    struct err *err);

/*
 * Starts it, and waits for it later: what spawn_begin returns is for spawn_end, which returns what
 * spawn_wait does. At most SPAWN_MOST at the same time.
 */
#define SPAWN_MOST 256
int spawn_begin(const char *const *argv, struct err *err);
int spawn_end(int place, struct err *err);

/* Sends the signal to the programs that run and waits for their end; a signal handler may call
 * it. */
void spawn_stop(int number);

#endif
