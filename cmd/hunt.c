/* SPDX-License-Identifier: MIT */
/* norn hunt PROGRAM…: runs it along every path that its input has, and reports what goes wrong. */
#include "base/scratch.h"
#include "base/seconds.h"
#include "cmd/hunt_findings.h"
#include "cmd/verbs.h"
#include "compile/parts.h"
#include "hunt/run/hunter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

struct hunt_command_options {
	const char *output, *resume, *check, *html;
	uint64_t time, runs, timeout, seed, budget, jobs;
	int strategy, equal; /* -1: not given */
	bool compare_output, no_predict, first, json;
	struct option_list bugs, properties, suppressions;
};

static volatile bool interrupted;

static void note_interrupt(int number)
{
	(void)number;
	interrupted = true;
}

/* When time is up, a question that is under way is given up; from then on again and again, since it
 * may come at a bad time. */
static void set_alarm(uint64_t seconds)
{
	struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = SA_RESTART};
	struct itimerval at = {.it_value.tv_sec = (time_t)seconds,
			       .it_interval.tv_usec = seconds ? 200000 : 0};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &at, NULL);
}

/* The directory */

static bool is_ours(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return (digits && name[digits] == '.') || !strcmp(name, "known") || !strcmp(name, "stdin");
}

/* What an earlier hunt has left is removed, and nothing else. */
static void empty_directory(const char *directory)
{
	char path[PATH_MAX + 300];
	struct dirent *entry;
	DIR *d = opendir(directory);

	while (d && (entry = readdir(d))) {
		if (!is_ours(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
}

static int open_directory(const char *directory, bool resume, struct err *err)
{
	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		return err_set(err, ERR_SYSTEM, "%s: %s", directory, strerror(errno));
	if (!resume)
		empty_directory(directory);
	return 0;
}

/* Every run gets the same standard input: a pipe is saved, and from a terminal nothing is read. */

#define STDIN_MOST ((size_t)64 << 20)

static int save_pipe(const char *path, struct err *err)
{
	int to = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char bytes[65536];
	size_t all = 0;
	ssize_t got = 0;

	if (to < 0)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	while (all < STDIN_MOST && (got = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
		if (write(to, bytes, (size_t)got) != got)
			return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
		all += (size_t)got;
	}
	if (all >= STDIN_MOST)
		return err_set(err, ERR_INPUT,
			       "standard input has more than 64 MiB; give it as a file");
	close(to);
	to = open(path, O_RDONLY | O_CLOEXEC);
	if (to < 0 || dup2(to, STDIN_FILENO) < 0)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	close(to);
	return 0;
}

static int give_input(const char *directory, struct err *err)
{
	char path[PATH_MAX + 16], absolute[PATH_MAX];
	uint32_t kind = recorded_kind_of_ours();

	if (kind == LOG_STDIN_FILE)
		return 0;
	if (kind == LOG_STDIN_SAVED) {
		if (!realpath(directory, absolute))
			return err_set(err, ERR_SYSTEM, "%s: %s", directory, strerror(errno));
		snprintf(path, sizeof(path), "%s/stdin", absolute);
		return save_pipe(path, err);
	}
	if (isatty(STDIN_FILENO))
		say("standard input is a terminal: the program gets none; use < FILE to give it "
		    "one");
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		return err_set(err, ERR_SYSTEM, "/dev/null: %s", strerror(errno));
	close(null);
	return 0;
}

/* Progress */

static void show_progress(void *context, uint64_t runs, const struct hunt_counts *counts)
{
	struct hunt_findings *f = context;
	static double next;
	double now = seconds_now();

	if (!f->terminal || now < next)
		return;
	next = now + 0.2;
	fprintf(stderr, "\r\033[Khunt: %llu runs, %llu behaviours, %llu choices open, %zu findings",
		(unsigned long long)runs, (unsigned long long)counts->runs,
		(unsigned long long)counts->waiting, f->at.n);
	fflush(stderr);
}

/* The end */

static void put_open(const struct hunter_result *r, struct output *out)
{
	const struct hunt_counts *c = &r->counts;

	output_format(out, "%llu behaviours explored, %llu choices open",
		      (unsigned long long)r->behaviours,
		      (unsigned long long)(c->waiting + c->undecided + c->given_up));
	const char *mark = ": ";

	if (c->undecided) {
		output_format(out, "%s%llu by the solver's budget", mark,
			      (unsigned long long)c->undecided);
		mark = ", ";
	}
	if (c->waiting)
		output_format(out, "%s%llu %s", mark, (unsigned long long)c->waiting,
			      r->out_of_runs ? "not reached in --runs"
			      : r->stopped   ? "not reached: interrupted"
					     : "not reached in time");
	output_text(out, ".\n");
	for (size_t i = 0; i < r->doubts.n; i++)
		output_format(out, "  not sure: %s\n", r->doubts.at[i]);
	if (r->lost)
		output_format(out,
			      "  not sure: %u runs waited in calls that Norn does not see, and "
			      "their order is not Norn's\n",
			      r->lost);
}

static void put_text(const struct hunt_findings *f, const struct hunter_result *r,
		     enum hunt_strategy strategy, struct output *out)
{
	hunt_findings_put(f, out);
	if (strategy != STRATEGY_PATHS)
		output_format(out, "%llu runs%s.\n", (unsigned long long)r->runs,
			      r->complete ? ": all schedules" : "");
	else if (r->complete)
		output_format(out, "All %llu behaviours of this input are explored (%llu runs).\n",
			      (unsigned long long)r->behaviours, (unsigned long long)r->runs);
	else
		put_open(r, out);
	if (f->undecided)
		output_format(out,
			      "Predictions from %llu of their traces left something open: norn "
			      "predict %s/1.norn\n",
			      (unsigned long long)f->undecided, f->directory);
	if (f->unpredicted)
		output_format(out, "There was no time to predict from %llu of their traces.\n",
			      (unsigned long long)f->unpredicted);
}

static int conclude(const struct hunt_findings *f, const struct hunter_result *r,
		    enum hunt_strategy strategy, const char *page, struct err *err)
{
	bool complete = r->complete && !f->undecided && !f->unpredicted;

	if (page && hunt_page_write(f, r, complete, page, err) < 0)
		return err->code;
	struct output *out = cmd_open_output();

	if (f->json)
		hunt_findings_put_json(f, r, complete, NORN_VERSION, out);
	else
		put_text(f, r, strategy, out);
	return cmd_close_output(out, f->at.n	 ? EXIT_FINDINGS
				     : !complete ? err_exit_status(ERR_LIMIT)
						 : 0);
}

static int hunt_in(const struct hunt_command_options *o, const char *directory, char **argv,
		   struct err *err)
{
	uint32_t jobs = o->jobs ? (uint32_t)o->jobs : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	struct hunt_findings findings = {.directory = directory,
					 .check = o->check,
					 .compare_output = o->compare_output,
					 .json = o->json,
					 .page = o->html,
					 .jobs = jobs,
					 .at_once = o->first,
					 .predicts =
						 !o->no_predict && o->strategy == STRATEGY_PATHS,
					 .bugs = &o->bugs,
					 .properties = &o->properties,
					 .suppressions = &o->suppressions,
					 .terminal = isatty(STDERR_FILENO),
					 .deadline = o->time ? seconds_now() + (double)o->time : 0};
	struct arena arena = {0};
	struct parts parts;
	struct err ignored;
	struct hunter_options options = {
		.argv = argv,
		.recorder = "norn " NORN_VERSION,
		.directory = directory,
		.scratch = scratch_directory(),
		.scanner = parts_find(&parts, &arena, &ignored) ? NULL : parts.instrument,
		.strategy = (enum hunt_strategy)o->strategy,
		.equal = o->equal == 1 ? HUNT_SOURCES : HUNT_PATHS,
		.budget = {.seconds = (double)o->budget, .stop = &interrupted},
		.runs = o->runs,
		.deadline = findings.deadline,
		.timeout = (double)o->timeout / 1000,
		.jobs = jobs,
		.seed = o->seed,
		.prints = o->check || o->compare_output,
		.resume = o->resume,
		.stop_at_failure = o->first,
		.stop = &interrupted,
		.look = hunt_findings_look,
		.progress = show_progress,
		.context = &findings,
	};
	struct hunter_result result;
	set_alarm(o->time);
	int code = hunter_hunt(&options, &result, err);

	struct err later;
	int settled = hunt_findings_settle(&findings, code ? &later : err);

	code = code ? code : settled;
	set_alarm(0);

	if (findings.terminal)
		fputs("\r\033[K", stderr);
	if (!code || (code == ERR_LIMIT && findings.at.n))
		code = conclude(&findings, &result, options.strategy, o->html, err);
	hunter_result_release(&result);
	hunt_findings_release(&findings);
	arena_release(&arena);
	return code;
}

static int run_hunt(const void *given, char **operands)
{
	const struct hunt_command_options *o = given;
	const char *slash = strrchr(operands[0], '/');
	struct sigaction action = {.sa_handler = note_interrupt}, old[3];
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	char directory[PATH_MAX];
	struct err err = {0};

	snprintf(directory, sizeof(directory), "%s.hunt", slash ? slash + 1 : operands[0]);
	if (o->output || o->resume)
		snprintf(directory, sizeof(directory), "%s", o->resume ? o->resume : o->output);
	int status = open_directory(directory, o->resume, &err);

	if (!status)
		status = give_input(directory, &err);
	if (!status)
		status = scratch_open_quick("norn-hunt", &err);
	if (!status) {
		for (int i = 0; i < 3; i++)
			sigaction(signals[i], &action, &old[i]);
		status = hunt_in(o, directory, operands, &err);
		for (int i = 0; i < 3; i++)
			sigaction(signals[i], &old[i], NULL);
		scratch_close();
	}
	rmdir(directory); /* if there is nothing in it */
	return status < 0 ? say_failure(&err) : status;
}

static const struct option_choice strategies[] = {
	[STRATEGY_PATHS] = {"paths", "every choice of every run, asked of the engines"},
	[STRATEGY_RANDOM] = {"random", "any thread, at each step"},
	[STRATEGY_PCT] = {"pct", "random priorities of threads, which change now and then"},
	[STRATEGY_POS] = {"pos", "random priorities of steps"},
	[STRATEGY_ALL] = {"all", "every schedule, step by step, of a very small program"},
};

static bool choose_strategy(size_t i, struct option_choice *choice)
{
	if (i >= sizeof(strategies) / sizeof(*strategies))
		return false;
	*choice = strategies[i];
	return true;
}

static const struct option_choice equals[] = {
	{"paths", "runs are the same if each thread takes the same path"},
	{"rf", "runs are the same if each read reads from the same write"},
};

static bool choose_equal(size_t i, struct option_choice *choice)
{
	if (i >= sizeof(equals) / sizeof(*equals))
		return false;
	*choice = equals[i];
	return true;
}

static const struct option hunt_rows[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "DIR",
	 .help = "keep the traces in DIR; ./PROGRAM.hunt by default",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct hunt_command_options, output)},
	{.name = "resume",
	 .argument = "DIR",
	 .help = "go on with the hunt whose traces are in DIR",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct hunt_command_options, resume)},
	{.name = "time",
	 .letter = 't',
	 .argument = "SECONDS",
	 .help = "time limit for all; 60 by default, 0: no limit",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct hunt_command_options, time)},
	{.name = "runs",
	 .letter = 'n',
	 .argument = "N",
	 .help = "run the program at most N times",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct hunt_command_options, runs)},
	{.name = "timeout",
	 .argument = "SECONDS",
	 .help = "time limit for each run; 10 by default",
	 .kind = OPTION_SECONDS,
	 .least = 1,
	 .offset = offsetof(struct hunt_command_options, timeout)},
	{.name = "jobs",
	 .letter = 'j',
	 .argument = "N",
	 .help = "runs at the same time; the number of processors by default",
	 .kind = OPTION_COUNT,
	 .most = 256,
	 .offset = offsetof(struct hunt_command_options, jobs)},
	{.name = "budget",
	 .letter = 'b',
	 .argument = "SECONDS",
	 .help = "processor time limit for each choice; 10 by default, 0: no limit",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct hunt_command_options, budget)},
	{.name = "strategy",
	 .argument = "STRATEGY",
	 .help = "how to choose the runs; paths by default",
	 .kind = OPTION_CHOICE,
	 .choices = choose_strategy,
	 .offset = offsetof(struct hunt_command_options, strategy)},
	{.name = "seed",
	 .argument = "N",
	 .help = "of schedules that are chosen by chance; 1 by default",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct hunt_command_options, seed)},
	{.name = "equal",
	 .argument = "WHAT",
	 .help = "which runs are the same behaviour; paths by default",
	 .kind = OPTION_CHOICE,
	 .choices = choose_equal,
	 .offset = offsetof(struct hunt_command_options, equal)},
	{.name = "check",
	 .letter = 'c',
	 .argument = "COMMAND",
	 .help = "a shell command that gets the output of each run; a failure if it fails",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct hunt_command_options, check)},
	{.name = "compare-output",
	 .help = "a failure if a run prints something else than the first one",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct hunt_command_options, compare_output)},
	{.name = "first",
	 .help = "stop at the first run in which something is found",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct hunt_command_options, first)},
	{.name = "json",
	 .help = "print a JSON object",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct hunt_command_options, json)},
	{.name = "html",
	 .argument = "FILE",
	 .help = "also write the result to FILE as a page for the browser",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct hunt_command_options, html)},
	{.name = "no-predict",
	 .help = "do not predict from the traces",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct hunt_command_options, no_predict)},
	{.name = "bugs",
	 .argument = "BUGS",
	 .help = "as for norn predict",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct hunt_command_options, bugs)},
	{.name = "property",
	 .letter = 'p',
	 .argument = "FILE",
	 .help = "as for norn predict",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct hunt_command_options, properties)},
	{.name = "suppressions",
	 .letter = 's',
	 .argument = "FILE",
	 .help = "as for norn predict",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct hunt_command_options, suppressions)},
	{0},
};

const struct command hunt_command = {
	.name = "hunt",
	.summary = "Run a program along every path that its input has.",
	.usage = "[--output DIR] [--resume DIR] [--time SECONDS] [--runs N]\n"
		 "                 [--timeout SECONDS] [--jobs N] [--budget SECONDS]\n"
		 "                 [--strategy STRATEGY] [--seed N] [--equal WHAT]\n"
		 "                 [--check COMMAND] [--compare-output] [--first] [--json]\n"
		 "                 [--html FILE] [--no-predict] [--bugs BUGS] [--property FILE]\n"
		 "                 [--suppressions FILE] [--] PROGRAM [ARGUMENT...]",
	.details = "The program must be built by norn cc. A run fails if an assertion does, if a\n"
		   "signal ends it, if its exit status is not 0, or if its threads wait for ever.\n"
		   "Exit status: 0 all behaviours are explored and none is wrong, 66 bugs, 4 no\n"
		   "bug was found and something is open.\n",
	.options = hunt_rows,
	.options_size = sizeof(struct hunt_command_options),
	.defaults = &(const struct hunt_command_options){.time = 60,
							 .timeout = 10000,
							 .seed = 1,
							 .budget = 10,
							 .strategy = STRATEGY_PATHS,
							 .equal = 0},
	.program = true,
	.operands_least = 1,
	.operands_most = -1,
	.run = run_hunt,
};
