/* SPDX-License-Identifier: MIT */
/* norn try FILE…: compile, record, predict, replay, in a directory that is gone afterwards. */
#include "base/scratch.h"
#include "cmd/run.h"
#include "cmd/step.h"
#include "cmd/verbs.h"

#include <stddef.h>
#include <string.h>

struct try_options {
	bool keep;
};

struct trial {
	bool keep, cplusplus;
	char **sources;		/* and options of the compiler; NULL ends them */
	char **arguments;	/* of the program */
	struct run_options run; /* what norn run would be told */
};

static bool is_cplusplus(const char *path)
{
	static const char *const suffixes[] = {".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP"};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

static int compile(const struct trial *t, const char *program, struct err *err)
{
	struct step step;

	step_init(&step, t->cplusplus ? "c++" : "cc");
	step_add_all(&step, t->sources);
	step_add_option(&step, "-o", program);
	return step_run(&step, err);
}

/* Returns the exit status, or negative. */
static int all_steps(const struct trial *t, struct err *err)
{
	const char *program = scratch_file("program"), *trace = scratch_file("trace.norn");
	int status = compile(t, program, err);

	if (status)
		return status;
	VEC(const char *) words = {0};

	vec_push(&words, program);
	for (char **word = t->arguments; *word; word++)
		vec_push(&words, *word);
	vec_push(&words, NULL);
	status = run_program(&t->run, t->run.record.output ? t->run.record.output : trace, t->keep,
			     (char **)words.at);
	vec_release(&words);
	return status;
}

/* Takes our own options out, --keep and the long ones of norn run, and finds the arguments of the
 * program. */
static int split_words(struct trial *t, char **words, struct err *err)
{
	const struct option *table = run_command.options;
	VEC(char *) ours = {0};
	size_t n = 0;

	t->sources = words;
	while (*words && strcmp(*words, "--")) {
		size_t taken = options_words(table, words);

		for (size_t i = 0; i < taken; i++)
			vec_push(&ours, *words++);
		if (taken)
			continue;
		char *word = *words++;

		if (!strcmp(word, "--keep")) {
			t->keep = true;
			continue;
		}
		t->cplusplus |= is_cplusplus(word);
		t->sources[n++] = word;
	}
	t->arguments = *words ? words + 1 : words;
	t->sources[n] = NULL;
	vec_push(&ours, NULL);
	int code = options_parse(table, &t->run, ours.at, err);

	vec_release(&ours);
	return code;
}

static int run_try(const void *options, char **words)
{
	struct trial t = {.run = *(const struct run_options *)run_command.defaults};
	struct err err = {0};

	(void)options;
	if (split_words(&t, words, &err) < 0) {
		say("try: %s", err.message);
		return EXIT_USAGE;
	}
	if (run_check_usage(&t.run, "try"))
		return EXIT_USAGE;
	if (!*t.sources) {
		say("try: no source file; use norn try FILE.c");
		return EXIT_USAGE;
	}
	if (scratch_open("norn-try", &err) < 0)
		return say_failure(&err);
	int status = all_steps(&t, &err);

	if (t.keep) {
		say("the program and its trace, trace.norn, are in %s", scratch_directory());
		scratch_keep();
	} else {
		scratch_close();
	}
	options_release(run_command.options, &t.run);
	return status < 0 ? say_failure(&err) : status;
}

static const struct option try_rows[] = {
	{.name = "keep",
	 .help = "keep the program, the trace and the witnesses, and print where they are",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct try_options, keep)},
	{0},
};

const struct command try_command = {
	.name = "try",
	.summary = "Compile a program, record a run, predict bugs and replay them.",
	.usage = "[--keep] [RUN-OPTION...] [CLANG-OPTION...] FILE... [-- ARGUMENT...]",
	.details =
		"Does norn cc (or c++) and norn run in one command. It takes the long options of\n"
		"norn run. All other options go to the compiler. The exit status is that of norn\n"
		"predict.\n",
	.options = try_rows,
	.options_size = sizeof(struct try_options),
	.raw = true,
	.takes = &run_command,
	.run = run_try,
};
