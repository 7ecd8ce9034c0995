/* SPDX-License-Identifier: MIT */
/*
 * norn test PROGRAM…: what CTest, Meson and automake start each test with. The tests run as ever,
 * and with a directory for traces they are recorded, each into a file with its name.
 */
#include "cmd/record.h"
#include "cmd/unrecorded.h"
#include "cmd/verbs.h"
#include "record/run/program.h"
#include "record/inputs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct test_flags {
	const char *directory, *name;
	struct record_flags record;
};

#define VARIABLE "NORN_TESTS"
#define NAME_MOST 80 /* characters that come of a command */

static int run_plainly(char **program)
{
	execvp(program[0], program);
	say("%s: %s", program[0], strerror(errno));
	return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NO_START;
}

/* To a file name: what is none of it becomes a line, and the first character is no dot. */
static void append(char *name, const char *text)
{
	size_t n = strlen(name);

	for (; *text && n < NAME_MAX - 30; text++, n++)
		name[n] = isalnum((unsigned char)*text) || (strchr(".-+=,", *text) && n) ? *text
											 : '_';
	name[n] = '\0';
}

/* The program's name with its arguments: `queue_--size_10`. */
static void name_by_command(char *name, char **program)
{
	const char *slash = strrchr(program[0], '/');

	append(name, slash ? slash + 1 : program[0]);
	for (char **word = program + 1; *word && strlen(name) < NAME_MOST; word++) {
		append(name, "_");
		append(name, *word);
	}
	if (strlen(name) > NAME_MOST)
		name[NAME_MOST] = '\0';
}

static int make_directories(const char *path)
{
	char part[PATH_MAX];

	for (size_t i = 1; i <= strlen(path) && i < sizeof(part); i++) {
		if (path[i] && path[i] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)i, path);
		if (mkdir(part, 0777) < 0 && errno != EEXIST) {
			say("%s: %s", part, strerror(errno));
			return -1;
		}
	}
	return 0;
}

/*
 * Makes the file, empty until the trace replaces it: a test whose trace is lost is missed by norn
 * report. A name that was not given may be that of another test, which may run now.
 */
static int claim(char *path, size_t room, const struct test_flags *o, char **program)
{
	char name[NAME_MAX] = "";

	if (o->name)
		append(name, o->name);
	else
		name_by_command(name, program);
	snprintf(path, room, "%s/%s.norn", o->directory, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (o->name ? O_TRUNC : O_EXCL), 0600);

	if (fd < 0 && errno == EEXIST) {
		snprintf(path, room, "%s/%s.%d.norn", o->directory, name, (int)getpid());
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0600);
	}
	if (fd < 0)
		say("%s: %s", path, strerror(errno));
	else
		close(fd);
	return fd < 0 ? -1 : 0;
}

/* A script may run a program that can be recorded; another program without hooks does not. */
static bool is_script(const char *program)
{
	char start[2] = "";
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, start, 2) == 2 && !memcmp(start, "#!", 2);

	if (fd >= 0)
		close(fd);
	return is;
}

static int run_test(const void *options, char **program)
{
	struct test_flags o = *(const struct test_flags *)options;
	struct record_outcome outcome = {0};
	char path[PATH_MAX];

	if (!o.directory)
		o.directory = getenv(VARIABLE);
	if (o.directory && *o.directory && *o.directory != '/' && o.directory == getenv(VARIABLE)) {
		/* each test has a directory of its own */
		say("test: " VARIABLE "=%s does not start with a /", o.directory);
		return EXIT_USAGE;
	}
	if (!o.directory || !*o.directory ||
	    (!program_has_runtime(program[0]) && !is_script(program[0])))
		return run_plainly(program);
	if (make_directories(o.directory) < 0 || claim(path, sizeof(path), &o, program) < 0)
		return EXIT_BAD_INPUT;
	o.record.tests = true;
	int status = record_program(&o.record, path, program, &outcome);

	if (status == RECORD_NOTHING)
		unlink(path);
	if (status == RECORD_NOTHING || !status)
		status = outcome.status;
	record_outcome_release(&outcome);
	return status;
}

static const struct option test_rows[] = {
	{.name = "directory",
	 .letter = 'd',
	 .argument = "DIR",
	 .help = "record the test into DIR, which is made; $" VARIABLE " by default, and if there "
		 "is none, it is not recorded",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct test_flags, directory)},
	{.name = "name",
	 .letter = 'n',
	 .argument = "NAME",
	 .help = "the name of the test, and of its trace; by default the program with its "
		 "arguments",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct test_flags, name)},
	{.name = "follow",
	 .help = "as for norn record",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct test_flags, record.follow)},
	{.name = "max-size",
	 .argument = "SIZE",
	 .help = "as for norn record",
	 .kind = OPTION_SIZE,
	 .least = 1,
	 .offset = offsetof(struct test_flags, record.max_size)},
	{0},
};

const struct command test_command = {
	.name = "test",
	.summary = "Run a test of a suite and record it, for CTest, Meson and automake.",
	.usage = "[--directory DIR] [--name NAME] [--follow] [--max-size SIZE]\n"
		 "                 [--] PROGRAM [ARGUMENT...]",
	.details = "Without a directory for traces it only runs the test. The exit status is that\n"
		   "of the test. norn report DIR then makes one report of all tests.\n",
	.options = test_rows,
	.options_size = sizeof(struct test_flags),
	.defaults = &(const struct test_flags){.record = {.max_input = INPUTS_LIMIT,
							  .exit_wait = RECORD_EXIT_WAIT,
							  .hang = RECORD_HANG}},
	.program = true,
	.operands_least = 1,
	.operands_most = -1,
	.run = run_test,
};
