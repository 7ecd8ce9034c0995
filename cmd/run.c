/* SPDX-License-Identifier: MIT */
/* norn run PROGRAM…: record, predict, replay every finding. */
#include "cmd/run.h"

#include "cmd/step.h"
#include "cmd/verbs.h"
#include "record/inputs.h"
#include "record/run/launch.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As of a shell, for a program that is not run. */

struct running {
	const struct run_options *options;
	char timeout[24];
	bool keep;
};

/* What the program prints is no part of a report for programs. */
static int record(const struct run_options *o, const char *trace, char **program,
		  struct record_outcome *outcome)
{
	bool apart = (o->json || o->sarif) && !o->report;
	int kept = apart ? dup(STDOUT_FILENO) : -1;

	if (kept >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	int status = record_program(&o->record, trace, program, outcome);

	if (kept >= 0) {
		dup2(kept, STDOUT_FILENO);
		close(kept);
	}
	if (!status && outcome->status && !outcome->signal)
		say("the program ended with exit status %d", outcome->status);
	/* a status of the program's own could be taken for ours */
	return !status || status == EXIT_NO_START || status == EXIT_NOT_FOUND ? status
									      : EXIT_BAD_INPUT;
}

#define TIME_DEFAULT "60" /* seconds: somebody waits for the report */

/*
 * A report of the i-th trace: FILE.PID.SUFFIX for a process that the program made, whose trace is
 * NAME.PID.norn.
 */
static const char *report_path(const char *path, const char *trace, size_t i, char *room)
{
	if (!path || !i)
		return path;
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	const char *end = strrchr(trace, '.'), *pid = end;
	size_t stem = dot && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);

	while (pid > trace && pid[-1] != '.')
		pid--;
	snprintf(room, PATH_MAX, "%.*s.%.*s%s", (int)stem, path, (int)(end - pid), pid,
		 path + stem);
	return room;
}

static int predict_from(const struct running *r, const char *trace, size_t i, struct err *err)
{
	const struct run_options *o = r->options;
	char report[PATH_MAX], paths[REPORT_FILE_COUNT][PATH_MAX];
	struct report_file file;
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
	step_add_option(&step, "--output", report_path(o->report, trace, i, report));
	step_add_option(&step, "--budget", o->budget);
	step_add_option(&step, "--time", o->time ? o->time : TIME_DEFAULT);
	for (size_t k = 0; k < o->bugs.n; k++)
		step_add_option(&step, "--bugs", o->bugs.at[k]);
	for (size_t k = 0; k < o->properties.n; k++)
		step_add_option(&step, "--property", o->properties.at[k]);
	for (size_t k = 0; k < o->suppressions.n; k++)
		step_add_option(&step, "--suppressions", o->suppressions.at[k]);
	for (size_t k = 0; report_files_get(&o->files, k, &file); k++)
		step_add_option(&step, file.option, report_path(file.path, trace, i, paths[k]));
	step_add(&step, trace);
	return step_run(&step, err);
}

/* The first of these that came. */
static int worse(int status, int other)
{
	const int order[] = {EXIT_FINDINGS, err_exit_status(ERR_LIMIT)};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (status == order[i] || other == order[i])
			return order[i];
	return status ? status : other;
}

static int predict_all(const struct running *r, const struct recording_traces *traces,
		       struct err *err)
{
	int worst = 0;

	for (size_t i = 0; i < traces->at.n; i++) {
		if (i)
			say("%s, a process that the program made:", traces->at.at[i]);
		int status = predict_from(r, traces->at.at[i], i, err);

		if (status < 0)
			return status;
		worst = worse(worst, status);
	}
	return worst;
}

int run_check_usage(const struct run_options *o, const char *verb)
{
	if (o->json && o->sarif) {
		say("%s: use only one of --json and --sarif", verb);
		return EXIT_USAGE;
	}
	if (o->record.follow && (o->json || o->sarif) && !o->report) {
		say("%s: --follow makes a report for each process: say where with --report FILE",
		    verb);
		return EXIT_USAGE;
	}
	return 0;
}

int run_program(const struct run_options *o, const char *trace, bool keep, char **program)
{
	struct running r = {.options = o, .keep = keep};
	struct record_outcome outcome;
	struct err err = {0};

	snprintf(r.timeout, sizeof(r.timeout), "%llu", (unsigned long long)o->timeout);
	unlink(trace);
	int status = record(o, trace, program, &outcome);

	if (!status)
		status = predict_all(&r, &outcome.traces, &err);
	record_outcome_release(&outcome);
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
	return run_program(o, o->record.output ? o->record.output : trace, true, operands);
}

static const struct option run_rows[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "write the trace to FILE; ./PROGRAM.norn by default",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct run_options, record.output)},
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
	 .offset = offsetof(struct run_options, record.exit_wait)},
	{.name = "hang",
	 .argument = "SECONDS",
	 .help = "as for norn record",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct run_options, record.hang)},
	{.name = "max-size",
	 .argument = "SIZE",
	 .help = "as for norn record",
	 .kind = OPTION_SIZE,
	 .least = 1,
	 .offset = offsetof(struct run_options, record.max_size)},
	{.name = "max-events",
	 .argument = "N",
	 .help = "as for norn record",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct run_options, record.max_events)},
	{.name = "max-input",
	 .argument = "SIZE",
	 .help = "as for norn record",
	 .kind = OPTION_SIZE,
	 .most = INPUTS_MOST,
	 .offset = offsetof(struct run_options, record.max_input)},
	{.name = "paused",
	 .help = "as for norn record",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct run_options, record.paused)},
	{.name = "start-after",
	 .argument = "SECONDS",
	 .help = "as for norn record",
	 .kind = OPTION_SECONDS,
	 .most = RECORD_EXIT_WAIT_MOST,
	 .offset = offsetof(struct run_options, record.start_after)},
	{.name = "skip-events",
	 .argument = "N",
	 .help = "as for norn record",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct run_options, record.skip_events)},
	{.name = "control",
	 .argument = "SOCKET",
	 .help = "as for norn record",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct run_options, record.control)},
	{.name = "follow",
	 .help = "also record child processes, and predict from the trace of each",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct run_options, record.follow)},
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
		 "                [--exit-wait SECONDS] [--hang SECONDS] [--follow]\n"
		 "                [--paused] [--start-after SECONDS] [--skip-events N]\n"
		 "                [--control SOCKET]\n"
		 "                [--max-size SIZE] [--max-events N] [--max-input SIZE]\n"
		 "                [--report FILE] [--json] [--sarif]\n"
		 "                [--html FILE] [--junit FILE] [--gitlab FILE] [--lines FILE]\n"
		 "                [--perfetto FILE]\n"
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
						.record = {.max_input = INPUTS_LIMIT,
							   .exit_wait = RECORD_EXIT_WAIT,
							   .hang = RECORD_HANG}},
	.program = true,
	.operands_least = 1,
	.operands_most = -1,
	.run = run_run,
};
