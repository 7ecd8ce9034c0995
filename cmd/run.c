/* SPDX-License-Identifier: MIT */
/* norn run PROGRAM…: record, predict, replay every finding. */
#include "cmd/run.h"

#include "cmd/step.h"
#include "cmd/verbs.h"
#include "record/run/launch.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As of a shell, for a program that is not run. */
#define EXIT_NO_START 126
#define EXIT_NOT_FOUND 127

struct running {
	const struct run_options *options;
	char **program;
	char trace[PATH_MAX];
	char timeout[24], exit_wait[32], hang[24];
	bool keep;
};

/* What the program prints is no part of a report for programs. */
static int record(const struct running *r, struct err *err)
{
	bool apart = (r->options->json || r->options->sarif) && !r->options->report;
	int kept = apart ? dup(STDOUT_FILENO) : -1;
	struct step step;

	step_init(&step, "record");
	step_add_option(&step, "--output", r->trace);
	step_add_option(&step, "--exit-wait", r->exit_wait);
	step_add_option(&step, "--hang", r->hang);
	step_add(&step, "--");
	step_add_all(&step, r->program);
	unlink(r->trace);
	if (kept >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	int status = step_run(&step, err);

	if (kept >= 0) {
		dup2(kept, STDOUT_FILENO);
		close(kept);
	}
	if (status <= 0)
		return status;
	if (!access(r->trace, R_OK)) {
		say("the program ended with exit status %d", status);
		return 0;
	}
	/* a status of the program's own could be taken for ours */
	return status == EXIT_NO_START || status == EXIT_NOT_FOUND ? status : EXIT_BAD_INPUT;
}

#define TIME_DEFAULT "60" /* seconds: somebody waits for the report */

static int predict_from(const struct running *r, struct err *err)
{
	const struct run_options *o = r->options;
	struct step step;

	step_init(&step, "predict");
	step_add(&step, "--replay");
	step_add(&step, "--trust"); /* it is ours, also where no key can be kept */
	if (r->keep)
		step_add(&step, "--keep");
	if (o->no_optimism)
		step_add(&step, "--no-optimism");
	if (o->json || o->sarif)
		step_add(&step, o->json ? "--json" : "--sarif");
	step_add_option(&step, "--replay-timeout", r->timeout);
	step_add_option(&step, "--output", o->report);
	step_add_option(&step, "--budget", o->budget);
	step_add_option(&step, "--time", o->time ? o->time : TIME_DEFAULT);
	for (size_t i = 0; i < o->bugs.n; i++)
		step_add_option(&step, "--bugs", o->bugs.at[i]);
	for (size_t i = 0; i < o->properties.n; i++)
		step_add_option(&step, "--property", o->properties.at[i]);
	for (size_t i = 0; i < o->suppressions.n; i++)
		step_add_option(&step, "--suppressions", o->suppressions.at[i]);
	struct report_file file;

	for (size_t i = 0; report_files_get(&o->files, i, &file); i++)
		step_add_option(&step, file.option, file.path);
	step_add(&step, r->trace);
	return step_run(&step, err);
}

static int record_and_predict(const struct running *r, struct err *err)
{
	int status = record(r, err);

	return status ? status : predict_from(r, err);
}

int run_check_usage(const struct run_options *o, const char *verb)
{
	if (o->json && o->sarif) {
		say("%s: use only one of --json and --sarif", verb);
		return EXIT_USAGE;
	}
	return 0;
}

int run_program(const struct run_options *o, const char *trace, bool keep, char **program)
{
	struct running r = {.options = o, .program = program, .keep = keep};
	struct err err = {0};

	snprintf(r.trace, sizeof(r.trace), "%s", trace);
	snprintf(r.timeout, sizeof(r.timeout), "%llu", (unsigned long long)o->timeout);
	snprintf(r.hang, sizeof(r.hang), "%llu", (unsigned long long)o->hang);
	snprintf(r.exit_wait, sizeof(r.exit_wait), "%llu.%03llu",
		 (unsigned long long)o->exit_wait / 1000, (unsigned long long)o->exit_wait % 1000);
	int status = record_and_predict(&r, &err);

	return status < 0 ? say_failure(&err) : status;
}

static int run_run(const void *options, char **operands)
{
	const struct run_options *o = options;
	const char *slash = strrchr(operands[0], '/');
	char trace[PATH_MAX];
	int status = run_check_usage(o, "run");

	if (status)
		return status;
	snprintf(trace, sizeof(trace), "%s.norn", slash ? slash + 1 : operands[0]);
	return run_program(o, o->output ? o->output : trace, true, operands);
}

static const struct option run_rows[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "write the trace to FILE; ./PROGRAM.norn by default",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct run_options, output)},
	{.name = "bugs",
	 .argument = "BUGS",
	 .help = "as for norn predict",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct run_options, bugs)},
	{.name = "property",
	 .letter = 'p',
	 .argument = "FILE",
	 .help = "as for norn predict",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct run_options, properties)},
	{.name = "budget",
	 .letter = 'b',
	 .argument = "SECONDS",
	 .help = "as for norn predict",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct run_options, budget)},
	{.name = "suppressions",
	 .letter = 's',
	 .argument = "FILE",
	 .help = "as for norn predict",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct run_options, suppressions)},
	{.name = "time",
	 .letter = 't',
	 .argument = "SECONDS",
	 .help = "as for norn predict; " TIME_DEFAULT " by default",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct run_options, time)},
	{.name = "timeout",
	 .argument = "SECONDS",
	 .help = "as for norn replay",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct run_options, timeout)},
	{.name = "no-optimism",
	 .help = "as for norn predict",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct run_options, no_optimism)},
	{.name = "exit-wait",
	 .argument = "SECONDS",
	 .help = "as for norn record",
	 .kind = OPTION_SECONDS,
	 .most = RECORD_EXIT_WAIT_MOST,
	 .offset = offsetof(struct run_options, exit_wait)},
	{.name = "hang",
	 .argument = "SECONDS",
	 .help = "as for norn record",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct run_options, hang)},
	{.name = "report",
	 .argument = "FILE",
	 .help = "write the report to FILE",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct run_options, report)},
	{.name = "json",
	 .help = "print the report as JSON",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct run_options, json)},
	{.name = "sarif",
	 .help = "print the report as SARIF",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct run_options, sarif)},
#define ROW(option, help) REPORT_FILE_OPTION(option, "as for norn predict", struct run_options)
	REPORT_FILES(ROW)
#undef ROW
		{0},
};

const struct command run_command = {
	.name = "run",
	.summary = "Record a run of a program, predict bugs and replay them.",
	.usage = "[--output FILE] [--bugs BUGS] [--property FILE]\n"
		 "                [--budget SECONDS] [--suppressions FILE] [--time SECONDS]\n"
		 "                [--timeout SECONDS] "
		 "[--no-optimism]\n"
		 "                [--exit-wait SECONDS] [--hang SECONDS] [--report FILE] [--json] "
		 "[--sarif]\n"
		 "                [--html FILE] [--junit FILE] [--gitlab FILE] [--lines FILE]\n"
		 "                [--] PROGRAM [ARGUMENT...]",
	.details =
		"A finding is seen if it happened in the recorded run, confirmed if it was "
		"certified\n"
		"and replayed, certified if it cannot be replayed here, and conditional if the\n"
		"program does not follow the schedule. A conditional finding is not a proved bug.\n"
		"The exit status is that of norn predict.\n",
	.options = run_rows,
	.options_size = sizeof(struct run_options),
	.defaults = &(const struct run_options){.timeout = 10,
						.exit_wait = RECORD_EXIT_WAIT,
						.hang = RECORD_HANG},
	.program = true,
	.operands_least = 1,
	.operands_most = -1,
	.run = run_run,
};
