/* SPDX-License-Identifier: MIT */
/* norn merge DIRECTORY…: a trace from a recording whose recorder did not come to that. */
#include "cmd/recording.h"
#include "cmd/verbs.h"
#include "record/recorded.h"
#include "record/run/children.h"
#include "record/run/launch.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct merge_flags {
	const char *output;
	bool keep_all, keep, verbose;
};

#define SUFFIX ".rec."

/* Of FILE.rec.XXXXXX: FILE. */
static int output_of(char *path, size_t room, const char *directory)
{
	const char *end = directory + strlen(directory), *at = NULL;

	for (const char *next = directory; (next = strstr(next, SUFFIX)); next++)
		at = next;
	if (!at || memchr(at, '/', (size_t)(end - at))) {
		say("%s: say with --output FILE where the trace is to be", directory);
		return EXIT_USAGE;
	}
	snprintf(path, room, "%.*s", (int)(at - directory), directory);
	return 0;
}

static int merge_one(const struct merge_flags *o, const char *name)
{
	const struct recording_options options = {
		.keep_all = o->keep_all, .verbose = o->verbose, .keep = o->keep};
	struct recording_traces traces = {0};
	char directory[PATH_MAX], path[PATH_MAX];
	struct symbols metas;
	struct err err = {0};

	if (!realpath(name, directory)) {
		say("%s: %s", name, strerror(errno));
		return EXIT_BAD_INPUT;
	}
	int lock = launch_lock(directory);

	if (lock < 0 && errno == EWOULDBLOCK) {
		say("%s: it is still being recorded or merged", name);
		return EXIT_BAD_INPUT;
	}
	symbols_init(&metas);
	int status = recorded_recover(&metas, directory, &err) < 0 ? say_failure(&err) : 0;

	if (!status && o->output)
		snprintf(path, sizeof(path), "%s", o->output);
	else if (!status)
		status = output_of(path, sizeof(path), directory);
	if (!status) {
		children_end_recording(directory);
		launch_give_space_back(directory);
		status = recording_take(directory, path, &metas, &options, &traces);
	}
	if (!status)
		status = recording_take_children(directory, path, &metas, &options, &traces);
	for (size_t i = 0; i < traces.at.n; i++)
		say("%s is written", traces.at.at[i]);
	recording_traces_release(&traces);
	symbols_release(&metas);
	if (lock >= 0)
		close(lock);
	return status;
}

static int run_merge(const void *options, char **operands)
{
	const struct merge_flags *o = options;
	int worst = 0;

	if (o->output && operands[1]) {
		say("merge: --output names one trace, and here are several recordings");
		return EXIT_USAGE;
	}
	for (; *operands; operands++) {
		int status = merge_one(o, *operands);

		worst = worst ? worst : status;
	}
	return worst;
}

static const struct option merge_rows[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "write the trace to FILE; of FILE.rec.XXXXXX, FILE is the default",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct merge_flags, output)},
	{.name = "keep",
	 .help = "do not remove the recording",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct merge_flags, keep)},
	{.name = "keep-all",
	 .help = "as for norn record",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct merge_flags, keep_all)},
	{.name = "verbose",
	 .letter = 'v',
	 .help = "as for norn record",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct merge_flags, verbose)},
	{0},
};

const struct command merge_command = {
	.name = "merge",
	.summary = "Write the trace of a recording whose recorder was killed.",
	.usage = "[--output FILE] [--keep] [--keep-all] [--verbose] DIRECTORY...",
	.details =
		"norn record does this when the program has ended, and removes the recording, the\n"
		"directory FILE.rec.XXXXXX beside the trace. It is left if norn record was killed "
		"or\n"
		"could not write the trace. If the program still runs, its recording is stopped.\n",
	.options = merge_rows,
	.options_size = sizeof(struct merge_flags),
	.operands_least = 1,
	.operands_most = -1,
	.run = run_merge,
};
