/* SPDX-License-Identifier: MIT */
/* norn cc, norn c++: compilers that take clang's command line and put hooks in. */
#include "cmd/verbs.h"
#include "compile/compile.h"

static int run_compiler(char **words, bool cplusplus)
{
	const struct compile_request request = {
		.argv = (const char *const *)words,
		.cplusplus = cplusplus,
		.note = say,
	};
	struct err err = {0};
	int status = compile_run(&request, &err);

	return status < 0 ? say_failure(&err) : status;
}

static int run_cc(const void *options, char **words)
{
	(void)options;
	return run_compiler(words, false);
}

static int run_cxx(const void *options, char **words)
{
	(void)options;
	return run_compiler(words, true);
}

static const char details[] =
	"Compiles with clang, inserts hooks that record memory accesses and branches, and links\n"
	"the recorder. Everything else is passed to clang. norn-cc and norn-c++ are the same\n"
	"commands, for CC= and CXX=.\n"
	"NORN_CLANG names the clang to use, NORN_EVENTS more files for --events, separated by\n"
	"colons, NORN_IGNORE more files for --ignore, NORN_ATOMIC more functions for --atomic,\n"
	"separated by blanks.\n"
	"norn cc -help prints clang's own help.\n";

/* Parsed with all the others, which are clang's: src/compile/line.c. */
static const struct option cc_rows[] = {
	{.name = "atomic",
	 .argument = "FUNCTION",
	 .help = "the function should be atomic: find threads that come between",
	 .kind = OPTION_LIST},
	{.name = "events",
	 .argument = "FILE",
	 .help = "read what functions do that Norn did not compile; norn-events(5)",
	 .kind = OPTION_LIST},
	{.name = "ignore",
	 .argument = "FILE",
	 .help = "put no hooks into the functions and files that are listed there",
	 .kind = OPTION_LIST},
	{0},
};

const struct command cc_command = {
	.name = "cc",
	.summary = "Compile and link C for recording; takes clang's options.",
	.usage = "CLANG-OPTION... FILE...",
	.details = details,
	.options = cc_rows,
	.raw = true,
	.run = run_cc,
};

const struct command cxx_command = {
	.name = "c++",
	.summary = "Compile and link C++ for recording; takes clang++'s options.",
	.usage = "CLANG-OPTION... FILE...",
	.details = details,
	.options = cc_rows,
	.raw = true,
	.run = run_cxx,
};
