/* SPDX-License-Identifier: MIT */
/*
 * Runs a program that is to be recorded: makes the recording's directory, hands signals on, keeps
 * an eye on time, and waits.
 */
#ifndef RECORD_RUN_LAUNCH_H
#define RECORD_RUN_LAUNCH_H

#include "base/err.h"
#include "record/run/control.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In thousandths of a second, for --exit-wait. */
#define RECORD_EXIT_WAIT 1000
#define RECORD_EXIT_WAIT_MOST (24 * 3600 * 1000)
#define RECORD_HANG 5 /* s */

struct launch_options {
	uint64_t max_records, max_bytes; /* 0: no limit */
	uint64_t timeout;		 /* seconds; 0: none */
	uint64_t hang;		 /* seconds after which a program that hangs is ended; 0: never */
	bool follow;		 /* children by fork(2) record apart, in DIRECTORY.PID */
	bool paused;		 /* for launch_prepare: it begins when it is wanted (LOG_WAITS) */
	uint64_t start_after;	 /* ms until it is; 0: others say so */
	uint64_t skip;		 /* for launch_prepare: likewise, in hooks */
	struct control *control; /* or NULL */
	bool apart;		 /* it makes a process group of its own */
	uint32_t mode;		 /* enum log_mode */
	uint64_t max_input;	 /* bytes of inputs; 0: none are kept */
	uint32_t standard_input; /* enum log_stdin */
	uint64_t exit_wait;	 /* ns for threads when the program exits */
	/* called some times a second with the number of records so far; or NULL */
	void (*progress)(void *context, uint64_t records);
	/* called in the child before the program starts; negative, and errno: it cannot; or NULL */
	int (*in_child)(void *context);
	/* called every interval; what it returns is sent to the program, if it is not 0; or NULL */
	int (*watch)(void *context, pid_t program);
	uint64_t interval; /* of looking, in ns; 0: some times a second */
	void *context;	   /* of these */
};

struct launch_result {
	int status;	       /* exit status, or 128 and the number of the signal */
	int signal;	       /* that ended it, or 0 */
	pid_t pid;	       /* that it had */
	bool recorded;	       /* the program has Norn's runtime in it, and started */
	bool hung;	       /* it was ended, since all its threads waited for each other */
	uint32_t given, asked; /* of a replay: see struct log_run */
};

/* Makes DIRECTORY, whose name is changed as by mkdtemp(3), and the run file in it. */
int launch_prepare(char *directory, const struct launch_options *options, struct err *err);
/*
 * Runs argv with the recording in that directory. Negative if it cannot be started; a code of
 * ERR_SYSTEM then, and result->status is 127 if there is no such program and 126 else.
 */
int launch_run(const char *directory, char *const *argv, const struct launch_options *options,
	       struct launch_result *result, struct err *err);
/* Since it was started the last time, somebody wanted us to end; the program has that signal, too.
 */
bool launch_was_interrupted(void);
struct log_run;
/* The run file of a recording, mapped to be changed; NULL, and errno tells. */
struct log_run *launch_map(const char *directory);
/*
 * Says that somebody is busy with this recording, until it is closed or this process ends. Returns
 * a descriptor; negative, and errno is EWOULDBLOCK: somebody is.
 */
int launch_lock(const char *directory);
/* When the program is over: space that was kept for the trace. */
void launch_give_space_back(const char *directory);
/* Removes a recording: the directory and the files in it. */
void launch_remove(const char *directory);

#endif
