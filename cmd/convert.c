/* SPDX-License-Identifier: MIT */
/* norn convert IN OUT: the same events in another format. */
#include "cmd/progress.h"
#include "cmd/verbs.h"
#include "property/program.h"
#include "trace/format.h"

#include <stddef.h>
#include <string.h>

struct convert_options {
	int from, to; /* rows of formats[]; -1: find out */
};

/* No format of traces, since nothing reads it as one: a row behind those of formats[]. */
static const char csp_name[] = "csp", csp_extension[] = ".csp";

static bool choose_target(size_t i, struct option_choice *choice)
{
	if (i == format_count) {
		*choice = (struct option_choice){csp_name, "a script in CSP_M; written, not read"};
		return true;
	}
	if (!cmd_choose_format(i, choice))
		return false;
	if (!formats[i].open_sink)
		choice->help = "read, but not written";
	return true;
}

static const struct format *target_format(int chosen, const char *path, struct err *err)
{
	const struct format *format = chosen >= 0	  ? &formats[chosen]
				      : strcmp(path, "-") ? format_by_extension(path)
							  : format_by_name("text");

	if (!format)
		err_set(err, ERR_USAGE, "%s: no format has this extension; name one with --to",
			path);
	else if (!format->open_sink)
		err_set(err, ERR_USAGE, "%s: Norn reads the format %s but does not write it", path,
			format->name);
	else
		return format;
	return NULL;
}

static int copy_events(struct reader *r, struct sink *sink, uint64_t *events, struct err *err)
{
	struct progress progress;
	struct batch batch;
	int code;

	progress_start(&progress, reader_name(r));
	while ((code = reader_next(r, &batch, err)) > 0) {
		code = sink->ops->put(sink, &batch, err);
		if (code < 0)
			break;
		*events += batch.n;
		progress_show(&progress, *events);
	}
	progress_end(&progress);
	return code;
}

static int write_trace(struct reader *r, const struct format *format, struct output *out,
		       struct err *err)
{
	uint64_t events = 0;
	struct sink *sink = format->open_sink(out, reader_symbols(r), err);

	if (!sink)
		return err->code;
	int code = copy_events(r, sink, &events, err);

	if (!code && say_if_cut(r, !events))
		code = err_set(err, ERR_INPUT, "%s: no events", reader_name(r));
	if (code < 0) {
		sink->ops->abandon(sink);
		return code;
	}
	const char *loss = sink->ops->loss ? sink->ops->loss(sink) : NULL;
	/* values that were made up are no loss */
	bool values = format_by_name(reader_format(r))->knows & ~format->knows & FORMAT_VALUES;

	if (loss || values)
		say("%s cannot hold everything: %s%s%s", format->name, values ? "values" : "",
		    loss && values ? ", " : "", loss ? loss : "");
	return sink->ops->finish(sink, err);
}

static bool is_csp(int chosen, const char *path)
{
	size_t length = strlen(path), tail = strlen(csp_extension);

	if (chosen >= 0)
		return chosen == (int)format_count;
	return length > tail && !strcmp(path + length - tail, csp_extension);
}

/* The trace as a process: all of it is in memory. The reader is closed. */
static int write_script(struct reader *r, struct output *out, struct err *err)
{
	struct index *index = index_new(r, err);

	if (!index)
		return err->code;
	int code = say_if_cut(index->reader, !index->count)
			   ? err_set(err, ERR_INPUT, "%s: no events", reader_name(index->reader))
			   : program_write(index, out, err);

	index_free(index);
	return code;
}

static int write_all(struct reader *r, const struct format *format, struct output *out,
		     struct err *err)
{
	int code;

	if (!format)
		return write_script(r, out, err);
	code = write_trace(r, format, out, err);
	reader_close(r);
	return code;
}

static int run_convert(const void *options, char **operands)
{
	const struct convert_options *o = options;
	const char *in = operands[0], *to = operands[1];
	struct err err = {0};
	bool csp = is_csp(o->to, to);
	const struct format *format = csp ? NULL : target_format(o->to, to, &err);

	if (!format && !csp)
		return say_failure(&err);
	struct reader *r = reader_open(in, o->from < 0 ? NULL : formats[o->from].name, &err);

	if (!r)
		return say_failure(&err);
	struct output *out = output_open(to, OUTPUT_PRIVATE, &err);

	if (!out) {
		reader_close(r);
		return say_failure(&err);
	}
	int code = write_all(r, format, out, &err);

	if (code < 0)
		output_abandon(out);
	else
		code = output_close(out, &err);
	return code < 0 ? say_failure(&err) : 0;
}

static const struct option convert_rows[] = {
	{.name = "from",
	 .letter = 'f',
	 .argument = "FORMAT",
	 .help = "the format of IN; detected from the content by default",
	 .kind = OPTION_CHOICE,
	 .choices = cmd_choose_format,
	 .offset = offsetof(struct convert_options, from)},
	{.name = "to",
	 .letter = 't',
	 .argument = "FORMAT",
	 .help = "the format of OUT; by default that of its extension, text for -",
	 .kind = OPTION_CHOICE,
	 .choices = choose_target,
	 .offset = offsetof(struct convert_options, to)},
	{0},
};

const struct command convert_command = {
	.name = "convert",
	.summary = "Convert a trace to another format.",
	.usage = "[--from FORMAT] [--to FORMAT] IN OUT",
	.details = "IN and OUT may be - for standard input and output; IN may be compressed with\n"
		   "gzip. OUT is replaced only when it is complete. Standard error lists what the\n"
		   "format cannot hold: std has no values, annotations or volatile, and only some\n"
		   "kinds of events. csp writes a script that defines PROGRAM, for norn csp and\n"
		   "FDR: threads and synchronisation, without values, branches and memory.\n",
	.options = convert_rows,
	.options_size = sizeof(struct convert_options),
	.defaults = &(const struct convert_options){.from = -1, .to = -1},
	.operands_least = 2,
	.operands_most = 2,
	.run = run_convert,
};
