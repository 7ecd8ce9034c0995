/* norn record PROGRAM…: runs it and writes a trace of what it did. */
#include "record/launch.h"
#include "record/record.h"

#include "cmd/progress.h"
#include "cmd/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record_flags {
	const char *output;
	uint64_t max_events, max_size, timeout;
	bool keep_all, follow, verbose;
};

#define STATUS_META "status"

/* The environment that changes how threads run or where memory lies. */
static const char *const interesting[] = {"LD_",    "OMP_", "GOMP_", "KMP_", "MALLOC_",
					  "GLIBC_", "LANG", "LC_",   "TZ",   "NORN_"};

extern char **environ;

static void show_running(void *context, uint64_t records)
{
	progress_show(context, records);
}

static void show_merging(void *context, int pass, uint64_t records)
{
	(void)pass;
	progress_show(context, records);
}

/* Facts about the run */

static void add_meta(struct symbols *metas, const char *key, const char *value)
{
	symbols_add_meta(metas, key, strlen(key), value, strlen(value));
}

static void add_command(struct symbols *metas, char *const *argv)
{
	VEC(char) line = {0};

	for (; *argv; argv++) {
		size_t length = strlen(*argv);

		vec_reserve(&line, line.n + length + 2);
		memcpy(line.at + line.n, *argv, length);
		line.n += length;
		line.at[line.n++] = ' ';
	}
	line.at[line.n - 1] = '\0';
	add_meta(metas, "command", line.at);
	vec_release(&line);
}

static void add_environment(struct symbols *metas)
{
	for (char **e = environ; *e; e++)
		for (size_t i = 0; i < sizeof(interesting) / sizeof(*interesting); i++)
			if (!strncmp(*e, interesting[i], strlen(interesting[i])))
				add_meta(metas, "environment", *e);
}

static void add_facts(struct symbols *metas, char *const *argv, const struct launch_result *run)
{
	static const char *const stops[] = {[LOG_LIMIT] = "--max-events",
					    [LOG_SIZE] = "--max-size",
					    [LOG_TIMEOUT] = "--timeout",
					    [LOG_EXEC] = "exec",
					    [LOG_FAILED] = "failure"};
	char text[PATH_MAX];

	add_meta(metas, "recorder", "norn " NORN_VERSION);
	add_command(metas, argv);
	if (getcwd(text, sizeof(text)))
		add_meta(metas, "directory", text);
	add_environment(metas);
	if (run->signal)
		snprintf(text, sizeof(text), "signal %d", run->signal);
	else
		snprintf(text, sizeof(text), "%d", run->status);
	add_meta(metas, STATUS_META, text);
	if (run->stop && run->stop < sizeof(stops) / sizeof(*stops))
		add_meta(metas, "stopped-by", stops[run->stop]);
}

/* What the user should know of the recording */

static void tell(const char *path, const struct record_result *r, const struct record_flags *o)
{
	if (r->left)
		say("%s: %llu records at the end could not be put in order and are left out", path,
		    (unsigned long long)r->left);
	if (r->damaged)
		say("%s: the log of %u threads is damaged; they end early", path, r->damaged);
	if (r->dangling)
		say("%s: the program used memory after it was freed, %llu times: at %s", path,
		    (unsigned long long)r->dangling, r->dangling_places);
	if (!r->sites)
		say("%s: no part of the program was compiled by norn cc: only calls are seen, no "
		    "accesses to memory",
		    path);
	if (!o->verbose)
		return;
	if (r->counts.wrong_expressions || r->bad_templates)
		say("%s: %llu expressions do not give what was recorded, %u make no sense: a bug "
		    "of norn-instrument",
		    path, (unsigned long long)r->counts.wrong_expressions, r->bad_templates);
	say("%s: %llu records, %llu events, %llu variables; dropped: %llu private, %llu constant, "
	    "%llu branches, %llu that fit nothing",
	    path, (unsigned long long)r->counts.records, (unsigned long long)r->counts.events,
	    (unsigned long long)r->variables, (unsigned long long)r->counts.private,
	    (unsigned long long)r->counts.constant, (unsigned long long)r->counts.branches,
	    (unsigned long long)r->counts.misfits);
}

static int merge(const char *directory, const char *path, const struct symbols *metas,
		 const struct record_flags *o, struct err *err)
{
	struct progress progress;
	struct record_options options = {
		.keep_all = o->keep_all, .progress = show_merging, .context = &progress};
	struct record_result result;
	struct output *out = output_open(path, OUTPUT_REPLACE, err);

	if (!out)
		return err->code;
	progress_start(&progress, path);
	int code = record_write(directory, &options, metas, out, &result, err);

	progress_end(&progress);
	if (code < 0) {
		output_abandon(out);
		return code;
	}
	code = output_close(out, err);
	if (!code)
		tell(path, &result, o);
	return code;
}

static int merge_and_remove(const char *directory, const char *path, const struct symbols *metas,
			    const struct record_flags *o)
{
	struct err err = {0};

	if (merge(directory, path, metas, o, &err) < 0) {
		int status = say_failure(&err);

		say("the recording is kept in %s", directory);
		return status;
	}
	launch_remove(directory);
	return 0;
}

/* Children that were recorded apart, DIRECTORY.PID: each becomes FILE.PID.norn. */
static int merge_children(const char *directory, const char *path, const struct symbols *metas,
			  const struct record_flags *o)
{
	char parent[PATH_MAX], child[PATH_MAX + 300], child_path[PATH_MAX + 300];
	const char *slash = strrchr(directory, '/');
	size_t length = strlen(slash + 1), stem = strlen(path);
	struct dirent *entry;
	int status = 0;

	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - directory), directory);
	DIR *d = opendir(parent);

	if (stem > 5 && !strcmp(path + stem - 5, ".norn"))
		stem -= 5;
	while (d && (entry = readdir(d))) {
		if (strncmp(entry->d_name, slash + 1, length) || entry->d_name[length] != '.')
			continue;
		snprintf(child, sizeof(child), "%s/%s", parent, entry->d_name);
		snprintf(child_path, sizeof(child_path), "%.*s%s.norn", (int)stem, path,
			 entry->d_name + length);
		int failed = merge_and_remove(child, child_path, metas, o);

		status = failed ? failed : status;
	}
	if (d)
		closedir(d);
	return status;
}

static void not_recorded(const char *program)
{
	say("%s has nothing of Norn in it, so nothing was recorded; build it with norn cc:",
	    program);
	say("    norn cc -g -o PROGRAM FILE.c…     or, for a project, CC=norn-cc CXX=norn-c++ "
	    "make");
}

static int run_and_merge(const char *directory, const char *path, char **argv,
			 const struct record_flags *o)
{
	struct progress progress;
	struct launch_options launch = {.max_records = o->max_events,
					.max_bytes = o->max_size,
					.timeout = o->timeout,
					.follow = o->follow,
					.progress = show_running,
					.context = &progress};
	struct launch_result run;
	struct err err = {0};

	progress_start(&progress, argv[0]);
	int code = launch_run(directory, argv, &launch, &run, &err);

	progress_end(&progress);
	if (code < 0) {
		launch_remove(directory);
		say_failure(&err);
		return run.status;
	}
	if (!run.recorded) {
		launch_remove(directory);
		not_recorded(argv[0]);
		return run.status ? run.status : EXIT_BAD_INPUT;
	}
	struct symbols metas;

	symbols_init(&metas);
	add_facts(&metas, argv, &run);
	int status = merge_and_remove(directory, path, &metas, o);

	if (o->follow && !status)
		status = merge_children(directory, path, &metas, o);
	symbols_release(&metas);
	return status ? status : run.status;
}

/* PROGRAM.norn, here. */
static void default_output(char *path, size_t room, const char *program)
{
	const char *slash = strrchr(program, '/');

	snprintf(path, room, "%s.norn", slash ? slash + 1 : program);
}

static int run_record(const void *options, char **operands)
{
	const struct record_flags *o = options;
	char path[PATH_MAX], directory[PATH_MAX + 32], absolute[PATH_MAX];
	struct launch_options launch = {.max_records = o->max_events, .max_bytes = o->max_size};
	struct err err = {0};

	if (o->output)
		snprintf(path, sizeof(path), "%s", o->output);
	else
		default_output(path, sizeof(path), operands[0]);
	snprintf(directory, sizeof(directory), "%s.rec.XXXXXX", path);
	if (launch_prepare(directory, &launch, &err) < 0)
		return say_failure(&err);
	/* the program may go elsewhere before it starts to record */
	if (!realpath(directory, absolute)) {
		launch_remove(directory);
		say("%s: %s", directory, strerror(errno));
		return EXIT_BAD_INPUT;
	}
	return run_and_merge(absolute, path, operands, o);
}

static const struct option record_rows[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "the trace; without it, PROGRAM.norn in this directory",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct record_flags, output)},
	{.name = "max-events",
	 .argument = "N",
	 .help = "record no more than about N events; the program goes on",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct record_flags, max_events)},
	{.name = "max-size",
	 .argument = "SIZE",
	 .help = "log no more than so many bytes; the program goes on",
	 .kind = OPTION_SIZE,
	 .least = 1,
	 .offset = offsetof(struct record_flags, max_size)},
	{.name = "timeout",
	 .argument = "SECONDS",
	 .help = "record no longer than that; the program goes on",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct record_flags, timeout)},
	{.name = "keep-all",
	 .help = "keep also what only one thread touches and what nobody writes",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct record_flags, keep_all)},
	{.name = "follow",
	 .help = "record child processes too, each in a trace of its own",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct record_flags, follow)},
	{.name = "verbose",
	 .letter = 'v',
	 .help = "say what was recorded and what was dropped",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct record_flags, verbose)},
	{0},
};

const struct command record_command = {
	.name = "record",
	.summary = "Run a program and write a trace of what it did.",
	.usage =
		"[--output FILE] [--max-events N] [--max-size SIZE] [--timeout SECONDS]\n"
		"                   [--keep-all] [--follow] [--verbose] [--] PROGRAM [ARGUMENT...]",
	.details =
		"The program has to be built by norn cc. It gets our standard streams, and "
		"signals\n"
		"that are sent to us; the exit status is the program's, or 128 and the number of\n"
		"the signal that ended it. A program that was killed leaves a trace up to there.\n",
	.options = record_rows,
	.options_size = sizeof(struct record_flags),
	.program = true,
	.operands_least = 1,
	.operands_most = -1,
	.run = run_record,
};
