/* SPDX-License-Identifier: MIT */
/* Completion in fish: a line for each verb, option and choice. */
#include "cmd/completion.h"
#include "cmd/verbs.h"

/* A string in single quotes. */
static void put_quoted(struct output *out, const char *text)
{
	output_text(out, "'");
	completion_quote(out, text, "'\\");
	output_text(out, "'");
}

static void put_verb(struct output *out, const struct command *command)
{
	output_format(out, "complete -c norn -n __fish_use_subcommand -x -a %s -d ", command->name);
	put_quoted(out, command->summary);
	output_text(out, "\n");
}

static void put_option(struct output *out, const char *verb, const struct option *o, bool letters)
{
	output_format(out, "complete -c norn -n '__fish_seen_subcommand_from %s' -l %s", verb,
		      o->name);
	if (o->letter && letters)
		output_format(out, " -s %c", o->letter);
	if (o->choices) {
		output_text(out, " -x -a '");
		completion_choices(out, o->choices);
		output_text(out, "'");
	} else if (o->argument) {
		output_text(out, " -r");
	}
	output_text(out, " -d ");
	put_quoted(out, o->help);
	output_text(out, "\n");
}

static void put_options(struct output *out, const char *verb, const struct option *o, bool letters)
{
	for (; o && o->name; o++)
		if (!o->hidden)
			put_option(out, verb, o, letters);
}

static void put_operands(struct output *out, const struct command *command)
{
	if (!command->operands)
		return; /* fish offers file names */
	output_format(out, "complete -c norn -n '__fish_seen_subcommand_from %s' -x -a '",
		      command->name);
	completion_choices(out, command->operands);
	output_text(out, "'\n");
}

void completion_fish(struct output *out)
{
	output_text(out, "# fish completion for norn, made by `norn completion fish`\n");
	output_text(
		out,
		"complete -c norn -n __fish_use_subcommand -l version -d 'Print the version'\n");
	output_text(out, "complete -c norn -l help -s h -d 'Print a summary and stop'\n");
	for (const struct command *const *c = commands; *c; c++) {
		put_verb(out, *c);
		put_options(out, (*c)->name, (*c)->options, true);
		if ((*c)->takes)
			put_options(out, (*c)->name, (*c)->takes->options, false);
		put_operands(out, *c);
	}
}
