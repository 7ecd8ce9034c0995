/* SPDX-License-Identifier: MIT */
/* The dispatcher: find the verb, parse what its table says, run it. */
#include "cmd/cmd.h"

#include "base/log.h"
#include "base/scratch.h"
#include "base/spawn.h"
#include "base/near.h"
#include "cmd/variable.h"
#include "cmd/verbs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command *const commands[] = {
	&try_command,	  &run_command,	  &hunt_command,   &cc_command,	     &cxx_command,
	&record_command,  &test_command,  &merge_command,  &predict_command, &report_command,
	&replay_command,  &check_command, &show_command,   &convert_command, &certify_command,
	&explore_command, &pairs_command, &orders_command, &csp_command,     &completion_command,
	&help_command,	  NULL,
};

static const struct option no_options[] = {{0}};

const struct command *command_by_name(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

static int say_usage(const struct command *command, const struct err *err)
{
	say("%s: %s", command->name, err->message);
	fprintf(stderr, "usage: norn %s %s\n", command->name, command->usage);
	return EXIT_USAGE;
}

static bool operand_fits(const struct command *command, const char *operand)
{
	struct option_choice choice;

	if (!command->operands)
		return true;
	for (size_t i = 0; command->operands(i, &choice); i++)
		if (!strcmp(operand, choice.name))
			return true;
	return false;
}

static int check_operands(const struct command *command, char **operands, int count,
			  struct err *err)
{
	if (count < command->operands_least)
		return err_set(err, ERR_USAGE, "an operand is missing");
	if (command->operands_most >= 0 && count > command->operands_most)
		return err_set(err, ERR_USAGE, "unexpected operand: %s",
			       operands[command->operands_most]);
	for (; *operands; operands++)
		if (!operand_fits(command, *operands))
			return err_set(err, ERR_USAGE, "unknown operand: %s", *operands);
	return 0;
}

/* Options end at the first operand: `args` keeps them, and the rest is returned. */
static char **cut_program(const struct option *table, char ***args)
{
	size_t n = options_count(table, *args);
	char **options = mem_alloc((n + 1) * sizeof(*options));

	memcpy(options, *args, n * sizeof(*options));
	options[n] = NULL;
	char **rest = *args + n;

	*args = options;
	return rest;
}

static int parse_and_run(const struct command *command, const struct option *table, char **args,
			 char **operands)
{
	void *options = mem_alloc_zero(1, command->options_size + 1);
	struct err err = {0};

	if (command->defaults)
		memcpy(options, command->defaults, command->options_size);
	struct from_variable variable = {0};
	int count = command->variable
			    ? variable_parse(&variable, command->variable, table, options, &err)
			    : 0;
	int status;

	if (count >= 0)
		count = options_parse(table, options, args, &err);

	if (operands != args)
		for (count = count < 0 ? count : 0; count >= 0 && operands[count];)
			count++;
	if (count < 0 || check_operands(command, operands, count, &err) < 0)
		status = say_usage(command, &err);
	else
		status = command->run(options, operands);
	options_release(table, options);
	variable_release(&variable);
	mem_free(options);
	return status;
}

static int run_verb(const struct command *command, char **args)
{
	const struct option *table = command->options ? command->options : no_options;
	char **operands = args;

	if (command->program)
		operands = cut_program(table, &args);
	int status;

	if (command->raw && !command->options_size ? *args && !strcmp(*args, "--help")
						   : options_want_help(args)) {
		struct output *out = cmd_open_output();

		command_print_help(command, out);
		status = cmd_close_output(out, 0);
	} else if (command->raw) {
		status = command->run(NULL, args);
	} else {
		status = parse_and_run(command, table, args, operands);
	}
	if (command->program)
		mem_free(args);
	return status;
}

static int unknown_verb(const char *verb)
{
	struct near near = {.word = verb};

	for (const struct command *const *c = commands; *c; c++)
		near_try(&near, (*c)->name);
	if (near.best)
		say("no verb %s; did you mean norn %s?", verb, near.best);
	else
		say("no verb %s; norn help lists them", verb);
	return EXIT_USAGE;
}

/* Leaves no temporary files, then ends as the signal says. */
static void end_by_signal(int number)
{
	spawn_stop(number);
	scratch_abandon();
	output_remove_temporaries();
	raise(number); /* blocked until we return; by then it is SA_RESETHAND's default */
}

static void tidy_up_at_end(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
	const struct sigaction action = {.sa_handler = end_by_signal, .sa_flags = SA_RESETHAND};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	atexit(output_remove_temporaries);
}

int main(int argc, char **argv)
{
	/* a reader that closes the pipe has seen enough, whatever our parent ignores */
	signal(SIGPIPE, SIG_DFL);
	tidy_up_at_end();
	const char *log = getenv("NORN_LOG");
	struct err err = {0};

	if (log && log_set(log, &err) < 0)
		return say_failure(&err);
	if (argc < 2) {
		struct output *out = cmd_open_output();

		command_print_overview(out);
		return cmd_close_output(out, EXIT_USAGE);
	}
	const char *verb = argv[1];

	if (!strcmp(verb, "--help") || !strcmp(verb, "-h"))
		verb = "help";
	if (!strcmp(verb, "--version") || !strcmp(verb, "-V")) {
		struct output *out = cmd_open_output();

		output_text(out, "norn " NORN_VERSION "\n");
		return cmd_close_output(out, 0);
	}
	const struct command *command = command_by_name(verb);

	return command ? run_verb(command, argv + 2) : unknown_verb(verb);
}
