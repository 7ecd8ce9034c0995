/* SPDX-License-Identifier: MIT */
/* From a recording in a directory to a trace in a file, and what the user should know of it. */
#ifndef CMD_RECORDING_H
#define CMD_RECORDING_H

#include "base/err.h"
#include "base/mem.h"
#include "trace/symbols.h"

struct recording_options {
	bool keep_all; /* as in record_options */
	bool verbose;
	bool keep; /* the recording stays when it has become a trace */
};

/* Names of traces that were written. */
struct recording_traces {
	VEC(char *) at;
};

/* Facts about the run are copied from metas to the trace. The recording stays. */
int recording_merge(const char *directory, const char *path, const struct symbols *metas,
		    const struct recording_options *o, struct err *err);

/*
 * The same, and the recording is removed if that went well; else what can be done is said. With
 * the processes that were recorded apart, DIRECTORY.PID: each becomes FILE.PID.norn. Return 0 or
 * the exit status.
 */
int recording_take(const char *directory, const char *path, const struct symbols *metas,
		   const struct recording_options *o, struct recording_traces *traces);
int recording_take_children(const char *directory, const char *path, const struct symbols *metas,
			    const struct recording_options *o, struct recording_traces *traces);
void recording_traces_release(struct recording_traces *traces);

#endif
