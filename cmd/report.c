/* SPDX-License-Identifier: MIT */
/* norn report FILE|DIR…: the traces and JSON reports of many runs as one report, in any format. */
#include "cmd/report_files.h"
#include "cmd/report_trace.h"
#include "cmd/verbs.h"
#include "report/merged.h"
#include "report/read.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct report_command_options {
	int format; /* a row of report_kinds; -1: not given */
	bool json;
	const char *output, *baseline;
	uint64_t most;
	struct report_files files;
	struct report_trace_options traces;
};

struct reporting {
	const struct report_command_options *options;
	struct merged merged;
	bool bad; /* some input was */
};

static bool has_end(const char *name, const char *end)
{
	size_t length = strlen(name), least = strlen(end);

	return length > least && !strcmp(name + length - least, end);
}

/* What is no report is said, and the others are still merged. Takes data; NULL: it was said. */
static void add_data(struct reporting *r, const char *path, const char *name, char *data,
		     size_t size)
{
	struct err err = {0};

	if (data && merged_add(&r->merged, name, data, size, &err) < 0) {
		say("%s: %s", path, err.message);
		r->bad = true;
	}
	r->bad |= !data;
	mem_free(data);
}

/* What starts as JSON is a report, or none; all else is a trace. */
static char *read_input(const struct reporting *r, const char *path, size_t *size)
{
	if (has_end(path, ".json") || !cmd_is_file(path) || report_is_json(path))
		return report_read_whole(path, size);
	return report_trace_read(path, &r->options->traces, size);
}

/* a/b.json and a/b.norn are called b, or in a directory that was given d/b. */
static void add_named(struct reporting *r, const char *path, const char *name)
{
	char test[PATH_MAX];
	size_t size;

	snprintf(test, sizeof(test), "%s", name);
	if (has_end(test, ".json"))
		test[strlen(test) - strlen(".json")] = '\0';
	if (has_end(test, ".norn"))
		test[strlen(test) - strlen(".norn")] = '\0';
	char *data = read_input(r, path, &size);

	add_data(r, path, test, data, size);
}

/* The report of a trace that is there itself comes with that. */
static bool is_wanted(const char *path)
{
	char trace[PATH_MAX];

	if (!has_end(path, ".norn.json"))
		return has_end(path, ".json") || has_end(path, ".norn");
	snprintf(trace, sizeof(trace), "%.*s", (int)(strlen(path) - strlen(".json")), path);
	return access(trace, F_OK) < 0;
}

static int is_no_dot(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

/* What this command wrote before is none of what it reads. */
static bool is_output(const struct reporting *r, const struct stat *st)
{
	const char *path = r->options->output;
	struct stat output;

	return path && !stat(path, &output) && output.st_dev == st->st_dev &&
	       output.st_ino == st->st_ino;
}

/* A recording that no trace was made of: what a test did would be missing without a word. */
static bool is_left(struct reporting *r, const char *path)
{
	if (!report_is_recording(path))
		return false;
	say("%s: a recording without a trace: norn merge %s", path, path);
	return r->bad = true;
}

/* Below the directory that was given, whose name has so many bytes. */
static void add_directory(struct reporting *r, const char *path, size_t root)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_no_dot, versionsort);

	if (n < 0) {
		say("%s: %s", path, strerror(errno));
		r->bad = true;
	}
	for (int i = 0; i < n; i++) {
		char inner[PATH_MAX];
		struct stat st;
		int length = snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name);

		free(entries[i]);
		if (length >= (int)sizeof(inner) || lstat(inner, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && !is_left(r, inner))
			add_directory(r, inner, root);
		else if (S_ISREG(st.st_mode) && is_wanted(inner) && !is_output(r, &st))
			add_named(r, inner, inner + root + 1);
	}
	if (n >= 0)
		free(entries);
}

static void add_operand(struct reporting *r, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		add_directory(r, path, strlen(path));
	else
		add_named(r, path, slash ? slash + 1 : path);
}

static int compare(struct reporting *r, const char *path)
{
	struct err err = {0};
	size_t size;
	char *data = path ? report_read_whole(path, &size) : NULL;
	int code = 0;

	if (!path)
		return 0;
	if (!data)
		return EXIT_BAD_INPUT;
	if (merged_compare(&r->merged, data, size, &err) < 0) {
		say("%s: %s", path, err.message);
		code = EXIT_BAD_INPUT;
	}
	mem_free(data);
	return code;
}

static int exit_status(const struct reporting *r)
{
	for (size_t i = 0; i < r->merged.findings.n; i++)
		if (merged_counts(&r->merged.findings.at[i]))
			return EXIT_FINDINGS;
	if (r->bad)
		return EXIT_BAD_INPUT;
	return merged_complete(&r->merged) ? 0 : err_exit_status(ERR_LIMIT);
}

static int write_to(const char *path, const struct report_kind *kind, const struct merged *m,
		    const struct report_options *options)
{
	struct err err = {0};
	struct output *out = output_open(path, OUTPUT_REPLACE, &err);

	if (!out)
		return say_failure(&err);
	kind->render(m, options, out);
	return output_close(out, &err) < 0 ? say_failure(&err) : 0;
}

static int write_all(const struct report_command_options *o, const struct reporting *r)
{
	char here[PATH_MAX];
	const struct report_options options = {.trace = "",
					       .version = NORN_VERSION,
					       .root = getcwd(here, sizeof(here)),
					       .most = o->most};
	const struct report_kind *kind = o->json	 ? &report_json
					 : o->format < 0 ? &report_text
							 : report_kinds[o->format];
	struct report_file file;

	for (size_t i = 0; report_files_get(&o->files, i, &file); i++) {
		int status = write_to(file.path, file.kind, &r->merged, &options);

		if (status)
			return status;
	}
	int status = write_to(o->output ? o->output : "-", kind, &r->merged, &options);

	return status ? status : exit_status(r);
}

static int run_report(const void *options, char **operands)
{
	const struct report_command_options *o = options;
	struct reporting r = {.options = o};

	for (; *operands; operands++)
		add_operand(&r, *operands);
	int status = compare(&r, o->baseline);

	if (!status && !r.merged.sources.n) {
		say("report: there is no report and no trace that can be read");
		status = EXIT_BAD_INPUT;
	}
	merged_end(&r.merged);
	if (!status)
		status = write_all(o, &r);
	merged_release(&r.merged);
	return status;
}

static bool choose_rendered(size_t i, struct option_choice *choice)
{
	return cmd_choose_report(i, choice) && report_kinds[i]->render;
}

static const struct option report_rows[] = {
	{.name = "format",
	 .letter = 'f',
	 .argument = "FORMAT",
	 .help = "the format of the report; text by default",
	 .kind = OPTION_CHOICE,
	 .choices = choose_rendered,
	 .offset = offsetof(struct report_command_options, format)},
	{.name = "json",
	 .help = "the same as --format json",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct report_command_options, json)},
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "write the report to FILE",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct report_command_options, output)},
#define ROW(option, help) REPORT_FILE_OPTION(option, help, struct report_command_options)
	REPORT_FILES_RENDERED(ROW)
#undef ROW
		{.name = "baseline",
		 .argument = "FILE",
		 .help = "a JSON report: its findings are known, others new; only new ones count",
		 .kind = OPTION_STRING,
		 .offset = offsetof(struct report_command_options, baseline)},
	{.name = "suppressions",
	 .letter = 's',
	 .argument = "FILE",
	 .help = "of traces: as for norn predict; may be repeated",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct report_command_options, traces.suppressions)},
	{.name = "replay",
	 .letter = 'r',
	 .help = "of traces: as for norn predict",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct report_command_options, traces.replay)},
	{.name = "trust",
	 .help = "of traces: as for norn predict",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct report_command_options, traces.trust)},
	{.name = "budget",
	 .letter = 'b',
	 .argument = "SECONDS",
	 .help = "of traces: as for norn predict",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct report_command_options, traces.budget)},
	{.name = "time",
	 .letter = 't',
	 .argument = "SECONDS",
	 .help = "of traces: as for norn predict, for each trace; 60 by default",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct report_command_options, traces.time)},
	{.name = "keep",
	 .letter = 'k',
	 .help = "keep the report of each trace as TRACE.json, so that it need not be made again",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct report_command_options, traces.keep)},
	{.name = "max-findings",
	 .argument = "N",
	 .help = "print at most N groups of findings as text; 0, all, by default",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct report_command_options, most)},
	{0},
};

const struct command report_command = {
	.name = "report",
	.summary = "Make one report of the traces and JSON reports of many runs.",
	.usage = "[OPTION...] FILE|DIR...",
	.details = "Predicts from traces, and reads reports of norn predict --json; of a "
		   "directory, the\n"
		   "files *.norn and *.json below it. A finding of several runs is told once, with "
		   "the\n"
		   "names of these.\n"
		   "Exit status: 0 no bug, 66 bugs, 3 some input cannot be read, 4 some report is "
		   "not\n"
		   "complete.\n",
	.options = report_rows,
	.options_size = sizeof(struct report_command_options),
	.defaults = &(const struct report_command_options){.format = -1, .traces = {.time = "60"}},
	.operands_least = 1,
	.operands_most = -1,
	.run = run_report,
};
