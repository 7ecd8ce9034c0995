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
	"What it compiles gets hooks, so that norn record can see what it does; what it links\n"
	"gets the recorder. All else is passed to clang. Also installed as norn-cc and norn-c++,\n"
	"for CC= and CXX=.\n"
	"NORN_CLANG names the clang to use, NORN_EVENTS more files for --events, with colons\n"
	"between them. clang's own help: norn cc -help.\n";

/* Parsed with all the others, which are clang's: src/compile/line.c. */
static const struct option cc_rows[] = {
	{.name = "events",
	 .argument = "FILE",
	 .help = "what functions do that Norn cannot look into, norn-events(5)",
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
