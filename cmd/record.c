/* SPDX-License-Identifier: MIT */
/* norn record PROGRAM…: runs it and writes a trace of what it did. */
#include "record/recorded.h"
#include "base/strbuf.h"
#include "record/run/relay.h"

#include "cmd/progress.h"
#include "cmd/record.h"
#include "cmd/unrecorded.h"
#include "cmd/verbs.h"
#include "record/run/program.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* A run that is under way. */
struct running {
	struct progress progress;
	struct relay relay; /* if `relays` */
	bool relays;
	sighandler_t limit_signal; /* what is done about a file that gets too large */
};

static void show_running(void *context, uint64_t records)
{
	struct running *running = context;

	progress_show(&running->progress, records);
}

static int start_program(void *context)
{
	const struct running *running = context;

	signal(SIGXFSZ, running->limit_signal);
	return running->relays ? relay_in_child(&running->relay) : 0;
}

static int keep_relaying(void *context, pid_t program)
{
	struct running *running = context;

	(void)program;
	if (running->relays)
		relay_look(&running->relay);
	return 0;
}

/* Without SIG. Signals for real time have no names. */
static const char *signal_name(int number, char name[16])
{
	const char *known = sigabbrev_np(number);

	if (known)
		return known;
	snprintf(name, 16, "RTMIN+%d", number - SIGRTMIN);
	return name;
}

/* It begins later than the program, and is not replayed: inputs are of no use. */
static bool is_paused(const struct record_flags *o)
{
	return o->paused || o->start_after || o->skip_events;
}

/* Runs it; what it was, and how it ended, is in metas. Returns 0 or an exit status. */
static int run_program(const char *directory, char **argv, const struct record_flags *o,
		       sighandler_t limit_signal, struct symbols *metas, struct launch_result *run)
{
	struct running running = {.relays = relay_is_needed() && o->max_input && !is_paused(o),
				  .limit_signal = limit_signal};
	struct launch_options launch = {.timeout = o->timeout,
					.hang = o->hang,
					.follow = o->follow,
					.start_after = o->start_after,
					.progress = show_running,
					.in_child = start_program,
					.watch = keep_relaying,
					.context = &running};
	struct control control = {.fd = -1};
	struct err err = {0};
	char name[16];

	if (o->control && control_open(&control, o->control, &err) < 0)
		return say_failure(&err);
	launch.control = &control;
	if (running.relays && !relay_begin(&running.relay, directory, o->max_input)) {
		say("standard input cannot be saved, so norn replay cannot supply it: %s",
		    strerror(errno));
		running.relays = false;
	}
	if (running.relays)
		launch.interval = RELAY_INTERVAL;
	progress_start(&running.progress, argv[0]);
	int code = launch_run(directory, argv, &launch, run, &err);

	control_close(&control);
	progress_end(&running.progress);
	if (running.relays)
		relay_end(&running.relay);
	if (code < 0) {
		say_failure(&err);
		return run->status;
	}
	if (!run->recorded && o->tests && !program_has_runtime(argv[0]))
		return RECORD_NOTHING;
	if (!run->recorded) {
		say_unrecorded(argv[0], run);
		return run->status ? run->status : EXIT_BAD_INPUT;
	}
	if (run->hung)
		say("%s: all threads waited for each other for %llu s; the program was killed "
		    "(--hang)",
		    argv[0], (unsigned long long)o->hang);
	else if (run->signal)
		say("%s was ended by SIG%s", argv[0], signal_name(run->signal, name));
	recorded_end(metas, run);
	if (running.relays && running.relay.cut)
		inputs_add_cut(metas);
	return 0;
}

static int run_and_merge(const char *directory, const char *path, char **argv,
			 const struct record_flags *o, sighandler_t limit_signal,
			 struct record_outcome *outcome)
{
	const struct recording_options options = {.keep_all = o->keep_all, .verbose = o->verbose};
	struct launch_result run = {0};
	struct symbols metas;
	struct err err = {0};

	symbols_init(&metas);
	recorded_begin(&metas, "norn " NORN_VERSION, argv);
	int status = recorded_save(&metas, directory, &err) < 0 ? say_failure(&err) : 0;

	if (!status)
		status = run_program(directory, argv, o, limit_signal, &metas, &run);
	outcome->status = run.status;
	outcome->signal = run.signal;
	if (status) {
		launch_remove(directory);
		symbols_release(&metas);
		return status;
	}
	recorded_save(&metas, directory, &err); /* if the merge fails */
	status = recording_take(directory, path, &metas, &options, &outcome->traces);
	if (o->follow && !status)
		status = recording_take_children(directory, path, &metas, &options,
						 &outcome->traces);
	symbols_release(&metas);
	return status;
}

/* %e is the program, %p the number of this process, %% a %. */
static void name_output(char *path, size_t room, const char *pattern, const char *program)
{
	struct strbuf name = strbuf_of(path, room);
	const char *slash = strrchr(program, '/');

	for (const char *c = pattern; *c; c++) {
		if (*c != '%' || !c[1] || !strchr("ep%", c[1])) {
			strbuf_add(&name, "%c", *c);
			continue;
		}
		switch (*++c) {
		case 'e': strbuf_add(&name, "%s", slash ? slash + 1 : program); break;
		case 'p': strbuf_add(&name, "%d", (int)getpid()); break;
		default: strbuf_add(&name, "%%"); break;
		}
	}
}

#define SIZE_SHARE 10
#define SIZE_LEAST ((uint64_t)64 << 20) /* on a small disk, a full one is told of anyway */

/* So that a program that does not end does not fill the disk: a part of what is free there. */
static uint64_t size_by_default(const char *path)
{
	char copy[PATH_MAX];
	struct statvfs disk;

	snprintf(copy, sizeof(copy), "%s", path);
	if (statvfs(dirname(copy), &disk) < 0)
		return 0;
	uint64_t share = (uint64_t)disk.f_bavail * disk.f_frsize / SIZE_SHARE;

	return share > SIZE_LEAST ? share : SIZE_LEAST;
}

static int prepare_and_run(const struct record_flags *o, const char *path, char **argv,
			   sighandler_t limit_signal, struct record_outcome *outcome)
{
	char directory[PATH_MAX + 32], absolute[PATH_MAX];
	struct launch_options launch = {.max_records = o->max_events,
					.max_bytes = o->max_size,
					.max_input = is_paused(o) ? 0 : o->max_input,
					.paused = is_paused(o),
					.skip = o->skip_events,
					.standard_input = recorded_kind_of_ours(),
					.exit_wait = o->exit_wait * 1000000};
	struct err err = {0};

	*outcome = (struct record_outcome){0};
	snprintf(directory, sizeof(directory), "%s.rec.XXXXXX", path);
	if (!launch.max_bytes)
		launch.max_bytes = size_by_default(path);
	if (launch_prepare(directory, &launch, &err) < 0)
		return say_failure(&err);
	/* the program may go elsewhere before it starts to record */
	if (!realpath(directory, absolute)) {
		launch_remove(directory);
		say("%s: %s", directory, strerror(errno));
		return EXIT_BAD_INPUT;
	}
	int lock = launch_lock(absolute);
	int status = run_and_merge(absolute, path, argv, o, limit_signal, outcome);

	if (lock >= 0)
		close(lock);
	return status;
}

int record_program(const struct record_flags *o, const char *path, char **argv,
		   struct record_outcome *outcome)
{
	*outcome = (struct record_outcome){0};
	if (o->follow && (is_paused(o) || o->control)) {
		say("--follow cannot be used with --paused, --start-after, --skip-events or "
		    "--control");
		return EXIT_USAGE;
	}
	/* to us, a limit on the size of files is an error; to the program, what it was */
	sighandler_t limit_signal = signal(SIGXFSZ, SIG_IGN);
	int status = prepare_and_run(o, path, argv, limit_signal, outcome);

	signal(SIGXFSZ, limit_signal);
	return status;
}

void record_outcome_release(struct record_outcome *outcome)
{
	recording_traces_release(&outcome->traces);
}

static int run_record(const void *options, char **operands)
{
	const struct record_flags *o = options;
	struct record_outcome outcome;
	char path[PATH_MAX];

	name_output(path, sizeof(path), o->output ? o->output : "%e.norn", operands[0]);
	int status = record_program(o, path, operands, &outcome);

	if (!status)
		status = outcome.status;
	record_outcome_release(&outcome);
	return status;
}

static const struct option record_rows[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "write the trace to FILE; %e: program, %p: process; ./PROGRAM.norn by default",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct record_flags, output)},
	{.name = "max-events",
	 .argument = "N",
	 .help = "stop recording after about N events; the program continues",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct record_flags, max_events)},
	{.name = "max-size",
	 .argument = "SIZE",
	 .help = "stop recording after SIZE bytes of logs; the program continues; a tenth of what "
		 "is free by default",
	 .kind = OPTION_SIZE,
	 .least = 1,
	 .offset = offsetof(struct record_flags, max_size)},
	{.name = "max-input",
	 .argument = "SIZE",
	 .help = "keep at most SIZE bytes of inputs for norn replay; 64M by default",
	 .kind = OPTION_SIZE,
	 .most = INPUTS_MOST,
	 .offset = offsetof(struct record_flags, max_input)},
	{.name = "timeout",
	 .argument = "SECONDS",
	 .help = "stop recording after SECONDS; the program continues",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct record_flags, timeout)},
	{.name = "paused",
	 .help = "start recording when the program calls NORN_START, or by --control",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct record_flags, paused)},
	{.name = "start-after",
	 .argument = "SECONDS",
	 .help = "start recording after SECONDS",
	 .kind = OPTION_SECONDS,
	 .most = RECORD_EXIT_WAIT_MOST,
	 .offset = offsetof(struct record_flags, start_after)},
	{.name = "skip-events",
	 .argument = "N",
	 .help = "start recording after about N events",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct record_flags, skip_events)},
	{.name = "control",
	 .argument = "SOCKET",
	 .help = "make a Unix socket that takes the words start, stop and status",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct record_flags, control)},
	{.name = "exit-wait",
	 .argument = "SECONDS",
	 .help = "time limit for threads that still run when the program exits; 1 by default",
	 .kind = OPTION_SECONDS,
	 .most = RECORD_EXIT_WAIT_MOST,
	 .offset = offsetof(struct record_flags, exit_wait)},
	{.name = "hang",
	 .argument = "SECONDS",
	 .help = "kill the program if all threads wait for each other for SECONDS; 5 by "
		 "default, 0: never",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct record_flags, hang)},
	{.name = "keep-all",
	 .help = "also keep accesses to private and to constant data",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct record_flags, keep_all)},
	{.name = "follow",
	 .help = "also record child processes, each in its own trace",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct record_flags, follow)},
	{.name = "verbose",
	 .letter = 'v',
	 .help = "print how much was recorded and how much was dropped",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct record_flags, verbose)},
	{0},
};

const struct command record_command = {
	.name = "record",
	.summary = "Run a program and write a trace of the run.",
	.usage =
		"[--output FILE] [--max-events N] [--max-size SIZE] [--max-input SIZE]\n"
		"                   [--timeout SECONDS] [--paused] [--start-after SECONDS]\n"
		"                   [--skip-events N] [--control SOCKET] [--exit-wait SECONDS] "
		"[--hang SECONDS]\n"
		"                   [--keep-all] [--follow] [--verbose] [--] PROGRAM [ARGUMENT...]",
	.details =
		"The program must be built by norn cc, or load a library that was. It gets the\n"
		"standard streams of norn record, and the signals that are sent to norn record.\n"
		"The exit status is that of the program, or 128 plus the number of the signal\n"
		"that ended it. If the program is killed, the trace ends there.\n",
	.options = record_rows,
	.options_size = sizeof(struct record_flags),
	.defaults = &(const struct record_flags){.max_input = INPUTS_LIMIT,
						 .exit_wait = RECORD_EXIT_WAIT,
						 .hang = RECORD_HANG},
	.program = true,
	.variable = "NORN_OPTIONS",
	.operands_least = 1,
	.operands_most = -1,
	.run = run_record,
};
