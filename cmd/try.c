/* norn try FILE…: compile, record, predict, replay, in a directory that is gone afterwards. */
#include "base/scratch.h"
#include "base/spawn.h"
#include "cmd/verbs.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct try_options {
	bool keep;
};

struct words {
	const char **at;
	size_t n, capacity;
};

struct
try {
	bool keep, cplusplus;
	const char *self; /* our own executable */
	char **sources;	  /* and options of the compiler; NULL ends them */
	char **arguments; /* of the program */
};

static void add(struct words *words, const char *word)
{
	vec_push(words, word);
}

static void add_all(struct words *words, char **more)
{
	for (; *more; more++)
		add(words, *more);
}

static int run_words(struct words *words, struct err *err)
{
	add(words, NULL);
	int status = spawn_wait(words->at, err);

	vec_release(words);
	return status;
}

static bool is_cplusplus(const char *path)
{
	static const char *const suffixes[] = {".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP"};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

static int compile(const struct try *t, const char *program, struct err *err)
{
	struct words words = {0};

	add(&words, t->self);
	add(&words, t->cplusplus ? "c++" : "cc");
	add_all(&words, t->sources);
	add(&words, "-o");
	add(&words, program);
	return run_words(&words, err);
}

static int record(const struct try *t, const char *program, const char *trace, struct err *err)
{
	struct words words = {0};

	add(&words, t->self);
	add(&words, "record");
	add(&words, "--output");
	add(&words, trace);
	add(&words, "--");
	add(&words, program);
	add_all(&words, t->arguments);
	int status = run_words(&words, err);

	if (status > 0 && !access(trace, R_OK)) {
		say("the program ended with exit status %d", status);
		return 0;
	}
	return status;
}

static int predict_from(const struct try *t, const char *trace, struct err *err)
{
	struct words words = {0};

	add(&words, t->self);
	add(&words, "predict");
	add(&words, "--replay");
	if (t->keep)
		add(&words, "--keep");
	add(&words, trace);
	return run_words(&words, err);
}

/* Returns the exit status, or negative. */
static int all_steps(const struct try *t, struct err *err)
{
	const char *program = scratch_file("program"), *trace = scratch_file("trace.norn");
	int status = compile(t, program, err);

	if (!status)
		status = record(t, program, trace, err);
	return status ? status : predict_from(t, trace, err);
}

/* Takes our own option out, and finds the arguments of the program. */
static void split_words(struct try *t, char **words)
{
	size_t n = 0;

	t->sources = words;
	for (; *words && strcmp(*words, "--"); words++) {
		if (!strcmp(*words, "--keep")) {
			t->keep = true;
			continue;
		}
		t->cplusplus |= is_cplusplus(*words);
		t->sources[n++] = *words;
	}
	t->arguments = *words ? words + 1 : words;
	t->sources[n] = NULL;
}

static int run_try(const void *options, char **words)
{
	struct try t = {0};
	struct err err = {0};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)options;
	split_words(&t, words);
	if (!*t.sources) {
		say("try: which program? norn try FILE.c");
		return EXIT_USAGE;
	}
	self[length < 0 ? 0 : length] = '\0';
	t.self = self;
	if (scratch_open("norn-try", &err) < 0)
		return say_failure(&err);
	int status = all_steps(&t, &err);

	if (t.keep) {
		say("%s has the program and its trace, trace.norn", scratch_directory());
		scratch_keep();
	} else {
		scratch_close();
	}
	return status < 0 ? say_failure(&err) : status;
}

static const struct option try_rows[] = {
	{.name = "keep",
	 .help = "keep the program and the trace, and say where",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct try_options, keep)},
	{0},
};

const struct command try_command = {
	.name = "try",
	.summary = "Compile a program, record a run of it, predict, and replay.",
	.usage = "[--keep] [CLANG-OPTION...] FILE... [-- ARGUMENT...]",
	.details = "For a first look, in one command: norn cc (or c++), and what norn run does.\n"
		   "The exit status is that of norn predict.\n",
	.options = try_rows,
	.options_size = sizeof(struct try_options),
	.raw = true,
	.run = run_try,
};
