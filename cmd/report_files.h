/* SPDX-License-Identifier: MIT */
/* Reports that go to files of their own beside the one that is printed: --junit FILE and so on. */
#ifndef CMD_REPORT_FILES_H
#define CMD_REPORT_FILES_H

#include "cmd/options.h"
#include "report/report.h"

/* The option, and what it writes; each is a member of struct report_files. */
/* clang-format off */
#define REPORT_FILES_RENDERED(row) \
	row(html, "also write the report to FILE as a page for the browser") \
	row(junit, "also write the report to FILE as JUnit's XML: each finding is a failed case") \
	row(gitlab, "also write the report to FILE for GitLab's code quality") \
	row(lines, "also write the report to FILE as FILE:LINE:COLUMN: warning: …, for editors")
/* and those that only a prediction has */
#define REPORT_FILES(row) \
	REPORT_FILES_RENDERED(row) \
	row(perfetto, "also write the recorded run and the witnesses to FILE, for ui.perfetto.dev")
/* clang-format on */

struct report_files {
#define REPORT_FILE_MEMBER(option, help) const char *option;
	REPORT_FILES(REPORT_FILE_MEMBER)
#undef REPORT_FILE_MEMBER
};

enum {
#define REPORT_FILE_ROW(option, help) REPORT_FILE_##option,
	REPORT_FILES(REPORT_FILE_ROW)
#undef REPORT_FILE_ROW
		REPORT_FILE_COUNT
};

struct report_file {
	const char *option; /* "--junit" */
	const struct report_kind *kind;
	const char *path;
};

/* Rows of the table of options of a struct that has the files as `files`. */
#define REPORT_FILE_OPTION(option_, help_, type) \
	{.name = #option_,                       \
	 .argument = "FILE",                     \
	 .help = help_,                          \
	 .kind = OPTION_STRING,                  \
	 .offset = offsetof(type, files.option_)},

/* File i of those that were asked for; false: there are no more. */
bool report_files_get(const struct report_files *files, size_t i, struct report_file *file);

/* Rows of report_kinds, for --format. */
bool cmd_choose_report(size_t i, struct option_choice *choice);

#endif
