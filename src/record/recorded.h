/* SPDX-License-Identifier: MIT */
/*
 * Facts about a recorded run that stand in its trace: what was run, where, with what, and how it
 * ended. Written by `norn record`, read by `norn replay`, which runs it again.
 *
 * Words that hold blanks, control characters or '%' are written as in addresses of the web: %20.
 */
#ifndef RECORD_RECORDED_H
#define RECORD_RECORDED_H

#include "record/inputs.h"
#include "record/run/launch.h"
#include "trace/symbols.h"

struct recorded {
	VEC(char *) argv; /* NULL ends it */
	const char *directory;
	const char *input; /* a file that was standard input, or NULL */
	struct inputs inputs;
	VEC(const char *) environment; /* NAME=VALUE, of the names of interest */
	int status, signal;	       /* as in launch_result */
	struct arena text;
};

/* recorder: name and version. The directory, environment and standard input are ours. */
void recorded_begin(struct symbols *metas, const char *recorder, char *const *argv);
void recorded_end(struct symbols *metas, const struct launch_result *run);

/* These facts as a file of the recording, for who merges it if the recorder does not come to that.
 */
int recorded_save(const struct symbols *metas, const char *directory, struct err *err);
/* If the recorder did not see how the program ended: what the recording says of that. ERR_INPUT if
 * nothing was recorded there. */
int recorded_recover(struct symbols *metas, const char *directory, struct err *err);

/* enum log_stdin: what our standard input is, for a recording; what that of the run was. */
uint32_t recorded_kind_of_ours(void);
uint32_t recorded_kind(const struct recorded *f);

/* ERR_INPUT if the trace does not say what was run. trace: its name. */
int recorded_read(struct recorded *f, const struct symbols *symbols, const char *trace,
		  struct err *err);
void recorded_release(struct recorded *f);

/* Makes directory, environment and standard input of this process those of the run, that if it was
 * a file: negative, and errno tells, if that fails. */
int recorded_restore(const struct recorded *f);

/*
 * ERR_INPUT if it cannot be run again as it was: its directory or its input are gone, or the
 * program or one of its libraries is gone, or another one (by its build id) than was recorded.
 */
int recorded_check(const struct recorded *f, const struct symbols *symbols, struct err *err);

/* The same facts for a trace of the command run again; how it ended is in run. */
void recorded_copy(struct symbols *metas, const struct symbols *from,
		   const struct launch_result *run);

#endif
