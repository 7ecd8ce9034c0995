/* SPDX-License-Identifier: MIT */
/* A trace that is read more than once: a file, or what came through a pipe and is kept. */
#ifndef CMD_TRACE_FILE_H
#define CMD_TRACE_FILE_H

#include "cmd/cmd.h"

struct trace_file {
	const char *path;
	struct input *kept; /* NULL: a file */
};

int trace_file_init(struct trace_file *s, const char *path, struct err *err);
void trace_file_release(struct trace_file *s);

/* From its start. */
struct reader *trace_file_open(const struct trace_file *s, struct err *err);
/* Without names of variables, until reader_names. */
struct reader *trace_file_open_unnamed(const struct trace_file *s, struct err *err);

#endif
