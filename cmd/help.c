/* SPDX-License-Identifier: MIT */
/* norn help [VERB] */
#include "cmd/verbs.h"

void command_print_help(const struct command *command, struct output *out)
{
	static const struct option no_options[] = {{0}};

	output_format(out, "usage: norn %s %s\n\n", command->name, command->usage);
	output_format(out, "%s\n\n", command->summary);
	if (command->details) {
		output_text(out, command->details);
		output_char(out, '\n');
	}
	if (command->raw && !command->options)
		return;
	options_print_help(command->options ? command->options : no_options,
			   command->takes ? command->takes->options : NULL, out);
}

void command_print_overview(struct output *out)
{
	output_text(out, "usage: norn VERB [OPTIONS] OPERANDS\n\n"
			 "Norn predicts concurrency bugs from the record of one run.\n\n");
	for (const struct command *const *c = commands; *c; c++)
		output_format(out, "  %-12s %s\n", (*c)->name, (*c)->summary);
	output_text(out, "\nnorn help VERB prints the help of a verb, norn --version the version.\n"
			 "Exit status: 0 nothing found, 66 findings, 2 usage, 3 bad input, "
			 "4 undecided, 70 internal error.\n");
}

static bool choose_verb(size_t i, struct option_choice *choice)
{
	if (!commands[i])
		return false;
	*choice = (struct option_choice){commands[i]->name, commands[i]->summary};
	return true;
}

static int run_help(const void *options, char **operands)
{
	struct output *out = cmd_open_output();

	(void)options;
	if (*operands)
		command_print_help(command_by_name(*operands), out);
	else
		command_print_overview(out);
	return cmd_close_output(out, 0);
}

const struct command help_command = {
	.name = "help",
	.summary = "Print the help of a verb.",
	.usage = "[VERB]",
	.operands_most = 1,
	.operands = choose_verb,
	.run = run_help,
};
