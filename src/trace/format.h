/* SPDX-License-Identifier: MIT */
/*
 * The table of formats: a new importer is a new file and one row in format.c.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include "base/output.h"
#include "trace/reader.h"

/*
 * A source yields a format's events as they stand in the file. It adds to `symbols`
 * and may reuse the memory of the last batch. Sources know nothing of overlap.
 */
struct source;

struct source_ops {
	int (*next)(struct source *s, struct batch *batch, struct err *err);
	int (*seek)(struct source *s, uint64_t event, struct err *err); /* NULL: cannot */
	/* The threads that nobody forks, if the file says; NULL: it does not. */
	const uint32_t *(*roots)(struct source *s, size_t *n);
	void (*skip_values)(struct source *s); /* see reader_skip_values; NULL: it gives them */
	/* Of variables, see reader_names; NULL: they are there. */
	int (*names)(struct source *s, struct err *err);
	const char *(*cut)(struct source *s);	 /* NULL: never */
	const char *(*mended)(struct source *s); /* the same */
	void (*close)(struct source *s);	 /* frees s too */
};

struct source {
	const struct source_ops *ops;
	struct input *in; /* owned by the reader */
	struct symbols *symbols;
};

/* A sink takes batches with the reader's symbols, which grow meanwhile. */
struct sink;

struct sink_ops {
	int (*put)(struct sink *s, const struct batch *batch, struct err *err);
	/* Writes what is left (an index, a trailer) and frees s; the output stays open. */
	int (*finish)(struct sink *s, struct err *err);
	void (*abandon)(struct sink *s);
	/* What it could not hold ("3 branches, 2 locations"), or NULL; asked before finish. */
	const char *(*loss)(struct sink *s); /* NULL: it holds everything */
};

struct sink {
	const struct sink_ops *ops;
	struct output *out; /* owned by the caller */
	const struct symbols *symbols;
};

/* struct format, knows: what a trace in it can tell of the run */
#define FORMAT_VALUES 1 /* else the reader makes them up */
#define FORMAT_BRANCHES 2

struct format {
	const char *name;
	const char *extension; /* with the dot; chosen for output by it */
	const char *title;
	unsigned knows;
	/* How sure are the first bytes to be this format: 0 not at all, 100 quite. */
	int (*probe)(const char *head, size_t size);
	struct source *(*open_source)(struct input *in, struct symbols *symbols, struct err *err);
	struct sink *(*open_sink)(struct output *out, const struct symbols *symbols,
				  struct err *err);
	/* open_source without the names of variables; NULL: it cannot do without. */
	struct source *(*open_unnamed)(struct input *in, struct symbols *symbols, struct err *err);
};

extern const struct format formats[];
extern const size_t format_count;

const struct format *format_by_name(const char *name);
const struct format *format_by_extension(const char *path);
const struct format *format_by_content(const char *head, size_t size);

#define FORMAT_PROBE_SIZE 4096

#endif
