/* SPDX-License-Identifier: MIT */
/* norn replay FINDING: forces the schedule of a witness on the program, and tells what follows. */
#include "base/harmless.h"
#include "base/scratch.h"
#include "base/spawn.h"
#include "cmd/predict_replay.h"
#include "cmd/replay_finding.h"
#include "cmd/verbs.h"
#include "record/seal.h"
#include "replay/debugger.h"
#include "replay/finding.h"
#include "replay/kind.h"
#include "replay/tell.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct replay_command_options {
	const char *witness, *trace, *record, *client;
	int order; /* enum replay_orders; -1: not given */
	uint64_t timeout, grace;
	bool recorded, gdb, env, json, trust, show_command;
	struct option_list gdb_commands;
};

static const struct option_choice orders[] = {
	[REPLAY_AB] = {"ab", "the first access goes first"},
	[REPLAY_BA] = {"ba", "the second access goes first"},
	[REPLAY_BOTH] = {"both", "run the program twice"},
};

/* The debugger */

static void run_gdb(void *context, const struct replay_stop *stop)
{
	const struct replay_command_options *o = context;
	VEC(const char *) words = {0};
	struct err err = {0};
	sigset_t child;
	char script[PATH_MAX];
	bool batch = !isatty(STDIN_FILENO);

	if (debugger_write_script(stop, batch, script, sizeof(script), &err) < 0) {
		say_failure(&err);
		return;
	}
	vec_push(&words, "gdb");
	vec_push(&words, "-q");
	if (batch)
		vec_push(&words, "-batch");
	vec_push(&words, "-x");
	vec_push(&words, script);
	for (size_t i = 0; i < o->gdb_commands.n; i++) {
		vec_push(&words, "-ex");
		vec_push(&words, o->gdb_commands.at[i]);
	}
	vec_push(&words, NULL);
	/* it is blocked while we wait for the program; gdb needs it */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &child, NULL);
	if (spawn_wait(words.at, &err) < 0)
		say_failure(&err);
	sigprocmask(SIG_BLOCK, &child, NULL);
	vec_release(&words);
}

/* Results */

static void print_run(const struct finding_replay *f, uint32_t i, struct output *out)
{
	const struct replay_run *run = &f->runs[i];
	char order[64], text[1200];

	replay_tell_order(&f->plan, run, order, sizeof(order));
	replay_tell_end(&f->recorded, run, text, sizeof(text));
	if (*order && f->shown)
		output_format(out, "%s: ", order);
	output_format(out, "%s\n", text);
	replay_put_output(run->output, "  | ", out);
	replay_put_output(run->errors, "  ! ", out);
}

static void print_text(const struct finding_replay *f, struct output *out)
{
	output_format(out, "%s: %s\n", f->shown ? "replayed" : "not replayed", f->text);
	if (f->run_count)
		replay_put_threads(&f->plan, &f->runs[f->run_count - 1], out);
	for (uint32_t i = f->shown ? 0 : f->run_count ? f->run_count - 1 : 0; i < f->run_count; i++)
		if (replay_kind_of(&f->plan)->goes_on || f->plan.bug == BUG_COUNT || !f->shown)
			print_run(f, i, out);
	if (finding_replay_outputs_differ(f))
		output_text(out, "The two orders print different output.\n");
	if (!f->shown && f->run_count && f->runs[f->run_count - 1].outcome == REPLAY_OTHER_WAY)
		output_text(out,
			    "Files are read again: if the program changes files, restore them and "
			    "replay again.\n");
}

static void print_json(const struct finding_replay *f, const struct asked_finding *asked,
		       struct output *out)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "format", "norn-replay");
	json_u64(&json, "version", 1);
	json_string(&json, "trace", asked->trace);
	if (asked->name) {
		json_string(&json, "witness", asked->name);
		json_string(&json, "bug", bug_kind_text[f->plan.bug]);
	}
	json_bool(&json, "replayed", f->shown);
	json_string(&json, "text", f->text);
	json_bool(&json, "outputs_differ", finding_replay_outputs_differ(f));
	json_open(&json, "runs", '[');
	for (uint32_t i = 0; i < f->run_count; i++)
		replay_put_json(&f->plan, &f->recorded, &f->runs[i], &json);
	json_close(&json, ']');
	json_close(&json, '}');
}

/* What the program gets: on standard error beside a result, on standard output as one. */
typedef void tell_line(const char *format, ...);

static void print_line(const char *format, ...)
{
	char text[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	harmless_make(text);
	puts(text);
}

static void tell_inputs(const struct inputs *in, tell_line *tell)
{
	struct inputs_count counts[INPUT_COUNT];

	inputs_count(in, counts);
	if (in->saved)
		tell("standard input: a pipe, %zu bytes", in->standard_input.n);
	for (int i = 0; i < INPUT_COUNT; i++)
		if (counts[i].calls)
			tell("input: %s: %llu calls, %llu bytes", input_function_names[i],
			     (unsigned long long)counts[i].calls,
			     (unsigned long long)counts[i].bytes);
	if (in->cut)
		tell("input: norn record did not keep all inputs; see its --max-input");
}

static void tell_recorded(const struct recorded *r, tell_line *tell)
{
	for (size_t i = 0; r->argv.at[i]; i++)
		tell("%s: %s", i ? "argument" : "program", r->argv.at[i]);
	if (r->directory)
		tell("directory: %s", r->directory);
	if (r->input)
		tell("standard input: %s", r->input);
	for (size_t i = 0; i < r->environment.n; i++)
		tell("environment: %s", r->environment.at[i]);
	tell_inputs(&r->inputs, tell);
}

/* Facts may stand anywhere in a trace. */
static int read_to_the_end(struct reader *r, struct err *err)
{
	struct batch batch;
	int got;

	while ((got = reader_next(r, &batch, err)) > 0)
		;
	return got;
}

static int print_command(const char *trace, struct err *err)
{
	struct reader *r = reader_open(trace, NULL, err);
	struct recorded recorded = {0};

	if (!r)
		return err->code;
	int code = read_to_the_end(r, err);

	if (!code)
		code = recorded_read(&recorded, reader_symbols(r), trace, err);
	if (!code) {
		print_line("recorded by this user on this machine: %s",
			   seal_is_ours(reader_symbols(r)) ? "yes" : "no");
		tell_recorded(&recorded, print_line);
	}
	recorded_release(&recorded);
	reader_close(r);
	return code;
}

static int print(const struct finding_replay *f, const struct asked_finding *asked, bool as_json)
{
	struct output *out = cmd_open_output();

	if (as_json)
		print_json(f, asked, out);
	else
		print_text(f, out);
	return cmd_close_output(out, !f->shown	   ? err_exit_status(ERR_LIMIT)
				     : asked->name ? EXIT_FINDINGS
						   : 0);
}

/* Returns the exit status, or negative. */
static int replay_asked(const struct asked_finding *asked, const struct replay_command_options *o,
			struct err *err)
{
	struct replay_options options = {.timeout = (double)o->timeout,
					 .grace = (uint32_t)o->grace,
					 .trust = o->trust,
					 .real_sockets = o->client,
					 .client = o->client,
					 .streams = o->gdb && isatty(STDIN_FILENO),
					 .scratch = scratch_directory(),
					 .at_stops = o->gdb ? run_gdb : NULL,
					 .context = (void *)o};
	enum replay_orders order = o->order >= 0	 ? (enum replay_orders)o->order
				   : o->gdb || o->record ? REPLAY_AB
							 : REPLAY_BOTH;
	struct finding_replay f = {0};
	struct reader *r = reader_open(asked->trace, NULL, err);

	if (!r)
		return err->code;
	if (!asked->name) { /* behind the recorded schedule it goes on, one thread at a time */
		options.goes_on = true;
		options.schedule = PLAN_STAY;
		options.first = PLAN_NONE;
	}
	int status = asked->name ? finding_replay(&f, r, &asked->witness, order, &options, err)
				 : recorded_replay(&f, r, UINT64_MAX, &options, err);

	if (!status && o->env && f.run_count)
		tell_recorded(&f.recorded, say);
	if (!status && o->record && f.run_count)
		status = predict_replay_record(&f, f.run_count - 1, o->record, err);
	if (!status)
		status = print(&f, asked, o->json);
	finding_replay_release(&f);
	return status;
}

static int run_replay(const void *options, char **operands)
{
	const struct replay_command_options *o = options;
	struct asked_finding asked;
	struct err err = {0};

	if (o->recorded && (o->witness || o->trace || o->order >= 0)) {
		say("replay: --recorded cannot be used with --witness, --trace or --order");
		return EXIT_USAGE;
	}
	if (o->record && o->order == REPLAY_BOTH) {
		say("replay: --record needs one run: use --order ab or --order ba");
		return EXIT_USAGE;
	}
	bool alone = o->recorded || (o->show_command && !strchr(operands[0], '#'));
	int status = alone ? asked_recorded_read(&asked, operands[0])
			   : asked_finding_read(&asked, operands[0], o->witness, o->trace, &err);

	if (!status && o->show_command) {
		status = print_command(asked.trace, &err);
	} else if (!status && !(status = scratch_open("norn-replay", &err))) {
		status = replay_asked(&asked, o, &err);
		scratch_close();
	}
	asked_finding_release(&asked);
	return status < 0 ? say_failure(&err) : status;
}

static bool choose_order(size_t i, struct option_choice *choice)
{
	if (i >= sizeof(orders) / sizeof(*orders))
		return false;
	*choice = orders[i];
	return true;
}

static const struct option replay_rows[] = {
	{.name = "witness",
	 .letter = 'w',
	 .argument = "FILE",
	 .help = "read the witness from FILE; FINDING is the trace",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct replay_command_options, witness)},
	{.name = "trace",
	 .letter = 't',
	 .argument = "FILE",
	 .help = "the trace of the report, if it has moved",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct replay_command_options, trace)},
	{.name = "order",
	 .letter = 'o',
	 .argument = "ORDER",
	 .help = "which access of a race goes first; both by default, ab with --gdb or --record",
	 .kind = OPTION_CHOICE,
	 .choices = choose_order,
	 .offset = offsetof(struct replay_command_options, order)},
	{.name = "recorded",
	 .help = "replay the recorded schedule to its end; FINDING is the trace",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct replay_command_options, recorded)},
	{.name = "timeout",
	 .argument = "SECONDS",
	 .help = "give up if no thread takes a step for SECONDS; 10 by default",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct replay_command_options, timeout)},
	{.name = "grace",
	 .argument = "MS",
	 .help = "threads are blocked if no thread moves for MS milliseconds; 300 by default",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .most = 3600000,
	 .offset = offsetof(struct replay_command_options, grace)},
	{.name = "with-client",
	 .argument = "COMMAND",
	 .help = "run COMMAND beside the program, whose sockets are real ones then",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct replay_command_options, client)},
	{.name = "gdb",
	 .help = "start gdb on the program when its threads have reached the bug",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct replay_command_options, gdb)},
	{.name = "gdb-command",
	 .argument = "COMMAND",
	 .help = "pass COMMAND to gdb; may be repeated",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct replay_command_options, gdb_commands)},
	{.name = "record",
	 .letter = 'r',
	 .argument = "FILE",
	 .help = "write a trace of the replayed run",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct replay_command_options, record)},
	{.name = "env",
	 .help = "print what the program gets: arguments, directory, environment, inputs",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct replay_command_options, env)},
	{.name = "show-command",
	 .help = "print what --env prints, and run nothing; FINDING is the trace",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct replay_command_options, show_command)},
	{.name = "trust",
	 .help = "run the command of the trace even if this user did not record it here",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct replay_command_options, trust)},
	{.name = "json",
	 .help = "print the result as JSON",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct replay_command_options, json)},
	{0},
};

const struct command replay_command = {
	.name = "replay",
	.summary = "Run the recorded program along a witness, up to the bug.",
	.usage = "[--witness FILE] [--trace FILE] [--order ORDER] [--recorded]\n"
		 "                   [--timeout SECONDS] [--grace MS] [--with-client COMMAND]\n"
		 "                   [--gdb] [--gdb-command COMMAND] [--record FILE] [--env]\n"
		 "                   [--show-command] [--trust] [--json] FINDING",
	.details =
		"FINDING is TRACE#N, finding N of norn run, or REPORT#N, finding N of a report of\n"
		"norn predict --json. With --witness or --recorded, it is the trace.\n"
		"Exit status: 66 the finding was replayed, 4 it was not.\n",
	.options = replay_rows,
	.options_size = sizeof(struct replay_command_options),
	.defaults =
		&(const struct replay_command_options){.order = -1, .timeout = 10, .grace = 300},
	.operands_least = 1,
	.operands_most = 1,
	.run = run_replay,
};
