/* SPDX-License-Identifier: MIT */
/* norn report FILE|DIR…: the JSON reports of many runs as one, in any format. */
#include "cmd/report_files.h"
#include "cmd/verbs.h"
#include "report/merged.h"

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
};

struct reporting {
	struct merged merged;
	bool bad; /* some input was */
};

/* With a NUL behind it; NULL: it was said why not. */
static char *read_whole(const char *path, size_t *size)
{
	FILE *in = fopen(path, "re");
	VEC(char) bytes = {0};
	size_t got;

	if (!in) {
		say("%s: %s", path, strerror(errno));
		return NULL;
	}
	do {
		vec_reserve(&bytes, bytes.n + (1 << 16) + 1);
		got = fread(bytes.at + bytes.n, 1, 1 << 16, in);
		bytes.n += got;
	} while (got);
	bool failed = ferror(in);

	if (failed)
		say("%s: %s", path, strerror(errno));
	fclose(in);
	bytes.at[bytes.n] = '\0';
	*size = bytes.n;
	if (failed)
		vec_release(&bytes);
	return bytes.at;
}

/* What is no report is said, and the others are still merged. */
static void add_file(struct reporting *r, const char *path, const char *name)
{
	struct err err = {0};
	size_t size;
	char *data = read_whole(path, &size);

	if (data && merged_add(&r->merged, name, data, size, &err) < 0) {
		say("%s: %s", path, err.message);
		r->bad = true;
	}
	r->bad |= !data;
	mem_free(data);
}

static bool is_report(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && !strcmp(name + length - 5, ".json");
}

/* a/b.json is called b, or in a directory that was given d/b. */
static void add_named(struct reporting *r, const char *path, const char *name)
{
	size_t length = strlen(name) - (is_report(name) ? 5 : 0);
	char test[PATH_MAX];

	snprintf(test, sizeof(test), "%.*s", (int)length, name);
	add_file(r, path, test);
}

static int is_no_dot(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

/* Below the directory that was given, whose name has so many bytes. */
static void add_directory(struct reporting *r, const char *path, size_t root)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_no_dot, alphasort);

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
		if (S_ISDIR(st.st_mode))
			add_directory(r, inner, root);
		else if (S_ISREG(st.st_mode) && is_report(inner))
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
	char *data = path ? read_whole(path, &size) : NULL;
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
	struct reporting r = {0};

	for (; *operands; operands++)
		add_operand(&r, *operands);
	int status = compare(&r, o->baseline);

	if (!status && !r.merged.sources.n) {
		say("report: there is no report that can be read");
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
	REPORT_FILES(ROW)
#undef ROW
		{.name = "baseline",
		 .argument = "FILE",
		 .help = "a JSON report: its findings are known, others new; only new ones count",
		 .kind = OPTION_STRING,
		 .offset = offsetof(struct report_command_options, baseline)},
	{.name = "max-findings",
	 .argument = "N",
	 .help = "print at most N groups of findings as text; 0, all, by default",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct report_command_options, most)},
	{0},
};

const struct command report_command = {
	.name = "report",
	.summary = "Merge the JSON reports of many runs into one, in any format.",
	.usage = "[OPTION...] FILE|DIR...",
	.details =
		"Reads reports of norn predict --json; of a directory, the files *.json below it.\n"
		"A finding that is in several reports is told once, with the names of these.\n"
		"Exit status: 0 no bug, 66 bugs, 3 some input is no report, 4 some report is not\n"
		"complete.\n",
	.options = report_rows,
	.options_size = sizeof(struct report_command_options),
	.defaults = &(const struct report_command_options){.format = -1},
	.operands_least = 1,
	.operands_most = -1,
	.run = run_report,
};
