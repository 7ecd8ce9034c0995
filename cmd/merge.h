/* SPDX-License-Identifier: MIT */
/* From a recording in a directory to a trace in a file, and what the user should know of it. */
#ifndef CMD_MERGE_H
#define CMD_MERGE_H

#include "trace/symbols.h"
#include "base/err.h"

struct merge_options {
	bool keep_all; /* as in record_options */
	bool verbose;
};

/* Facts about the run are moved from metas to the trace. The recording stays. */
int merge_recording(const char *directory, const char *path, const struct symbols *metas,
		    const struct merge_options *o, struct err *err);

#endif
