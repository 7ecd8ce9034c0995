/* SPDX-License-Identifier: MIT */
/* Completion in bash: one function that looks at the word before. */
#include "cmd/completion.h"
#include "cmd/verbs.h"

static const char head[] =
	"# bash completion for norn, made by `norn completion bash`\n"
	"_norn()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal words= before=\n"
	"\t# --name=value comes as three words\n"
	"\tif [[ $prev == = ]]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	"\telif [[ $cur == = ]]; then\n"
	"\t\tcur=\n"
	"\tfi\n";

/* Where no word fits, bash offers file names (-o default). */
static const char tail[] = "\tCOMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- "
			   "\"${cur#\"$before\"}\"))\n"
			   "}\n"
			   "complete -o default -F _norn norn\n";

static void put_verbs(struct output *out)
{
	output_text(out, "\tif ((COMP_CWORD == 1)); then\n\t\twords='");
	for (const struct command *const *c = commands; *c; c++)
		output_format(out, "%s ", (*c)->name);
	output_text(out, "--help --version'\n\telse\n\t\tcase ${COMP_WORDS[1]}:$prev in\n");
}

/* What may follow an option that takes an argument. */
static void put_arguments(struct output *out, const struct command *command, const struct option *o,
			  bool letters)
{
	for (; o && o->name; o++) {
		if (!o->argument || o->hidden)
			continue;
		output_format(out, "\t\t%s:--%s", command->name, o->name);
		if (o->letter && letters)
			output_format(out, " | %s:-%c", command->name, o->letter);
		output_text(out, ") words='");
		completion_choices(out, o->choices);
		output_text(out, "'");
		if (o->choices &&
		    o->kind == OPTION_LIST) /* a,b: what stands up to the last comma */
			output_text(out, " before=${cur%\"${cur##*,}\"}");
		output_text(out, " ;;\n");
	}
}

static void put_options_and_operands(struct output *out, const struct command *command)
{
	output_format(out, "\t\t%s:*)\n\t\t\tif [[ $cur == -* ]]; then\n\t\t\t\twords='",
		      command->name);
	for (const struct option *o = command->options; o && o->name; o++) {
		if (o->hidden)
			continue;
		output_format(out, "--%s ", o->name);
		if (o->letter)
			output_format(out, "-%c ", o->letter);
	}
	if (command->takes)
		for (const struct option *o = command->takes->options; o->name; o++)
			output_format(out, "--%s ", o->name);
	output_text(out, "--help'\n\t\t\telse\n\t\t\t\twords='");
	completion_choices(out, command->operands);
	output_text(out, "'\n\t\t\tfi ;;\n");
}

void completion_bash(struct output *out)
{
	output_text(out, head);
	put_verbs(out);
	for (const struct command *const *c = commands; *c; c++) {
		put_arguments(out, *c, (*c)->options, true);
		if ((*c)->takes)
			put_arguments(out, *c, (*c)->takes->options, false);
		put_options_and_operands(out, *c);
	}
	output_text(out, "\t\tesac\n\tfi\n");
	output_text(out, tail);
}
