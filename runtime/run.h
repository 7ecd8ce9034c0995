/* SPDX-License-Identifier: MIT */
/*
 * The recording as a whole. It starts with the first hook or wrapper that any thread comes to,
 * before main as a rule, if NORN_RECORD names a directory with a `run` file that no process has
 * claimed. Everything here works by system calls of its own: it runs inside hooks.
 */
#ifndef RUNTIME_RUN_H
#define RUNTIME_RUN_H

#include "runtime/log.h"
#include "runtime/self.h"

#define NORN_PATH_MAX 4096

enum norn_state { NORN_NOT_BEGUN, NORN_BEGINS, NORN_RECORDS, NORN_IS_OFF };

struct norn_run {
	struct log_run *shared; /* the mapped `run` file */
	char directory[NORN_PATH_MAX - 64];
	uint32_t state; /* enum norn_state */
	/* In a child of fork that is not recorded: the run of the process that it comes from. */
	struct log_run *from;
};

extern NORN_HIDDEN struct norn_run norn_run;

/* Whether anything is recorded in this process; begins it if nobody has. */
NORN_HIDDEN bool norn_records(void);

/* Ends the recording, for all threads. They notice at the end of their blocks at the latest. */
NORN_HIDDEN void norn_stop(enum log_stop why);

/* Stops, and says why in the run, which norn record looks at: standard error is the program's own.
 * error: negative, or 0 if `what` says all. A number is put behind `what` if it is not negative. */
NORN_HIDDEN void norn_fail(const char *what, long number, long error);

/* Starts and ends the file of this thread, which has its number. Afterwards it is not recorded. */
NORN_HIDDEN void norn_blocks_begin(struct norn_self *me);
NORN_HIDDEN void norn_blocks_end(struct norn_self *me);
/* What it has in memory for that is given back. */
NORN_HIDDEN void norn_blocks_unmap(struct norn_self *me);
/* For a recording that begins late, of any thread that is outside of hooks: its file is started;
 * whether there is room for a record. Then the thread itself goes on, in its next hook. */
NORN_HIDDEN void norn_blocks_start(struct norn_self *me);
NORN_HIDDEN bool norn_blocks_room(struct norn_self *me);
NORN_HIDDEN void norn_blocks_go_on(struct norn_self *me);
/* For the quick way of hooks: as much as there is room for, or none. */
NORN_HIDDEN void norn_set_limit(struct norn_self *me);

/* A thread that is seen for the first time: the one that runs main, or one that was not made by
 * pthread_create. */
NORN_HIDDEN void norn_attach(struct norn_self *me);

/* NAME, with a number behind it if that is not negative; whole: with the directory before it. */
NORN_HIDDEN void norn_path(char *path, bool whole, const char *name, long number);

/* In a child of fork: nothing is recorded, or apart (NORN_FOLLOW). */
NORN_HIDDEN void norn_run_in_child(struct norn_self *me);

NORN_HIDDEN uint64_t norn_now(void);

/* A lock for what is rare. Its holder is busy. */
struct norn_spin {
	uint32_t taken;
};
NORN_HIDDEN void norn_spin_lock(struct norn_spin *spin);
NORN_HIDDEN void norn_spin_unlock(struct norn_spin *spin);

#endif
