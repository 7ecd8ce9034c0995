/* SPDX-License-Identifier: MIT */
/* The inputs of norn report: files as they are, and traces by way of norn predict --json. */
#ifndef CMD_REPORT_TRACE_H
#define CMD_REPORT_TRACE_H

#include "cmd/options.h"

#include <stddef.h>

struct report_trace_options {
	struct option_list suppressions;
	const char *budget, *time; /* NULL: the default of norn predict */
	bool replay, trust, keep;
};

/* With a NUL behind it; the caller frees it. NULL: it was said why not. */
char *report_read_whole(const char *path, size_t *size);
/*
 * The report of a trace, likewise: TRACE.json if that is one of just this trace; else norn predict
 * makes it, as a process of its own, so that a trace that is too much for it loses no other one.
 */
char *report_trace_read(const char *path, const struct report_trace_options *o, size_t *size);

/* Whether it is what norn record leaves beside a trace that it does not come to write. */
bool report_is_recording(const char *path);

#endif
