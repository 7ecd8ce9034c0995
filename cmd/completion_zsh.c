/* SPDX-License-Identifier: MIT */
/* Completion in zsh: a call of _arguments for each verb. */
#include "cmd/completion.h"
#include "cmd/verbs.h"

static const char head[] = "#compdef norn\n"
			   "# zsh completion for norn, made by `norn completion zsh`\n"
			   "_norn()\n"
			   "{\n"
			   "\tlocal -a verbs\n"
			   "\tif ((CURRENT == 2)); then\n"
			   "\t\tverbs=(\n";

static const char tail[] =
	"\tesac\n"
	"}\n"
	"# read by eval it is a function; as a file of fpath it is called at once\n"
	"if [ \"$funcstack[1]\" = _norn ]; then\n"
	"\t_norn \"$@\"\n"
	"else\n"
	"\tcompdef _norn norn\n"
	"fi\n";

/* A part of a word in double quotes that _arguments and _describe take apart at colons and
 * brackets. */
static void put_text(struct output *out, const char *text)
{
	for (; *text; text++) {
		const char one[] = {*text, '\0'};

		if (*text == ':' || *text == '[' || *text == ']')
			output_text(out, "\\\\");
		completion_quote(out, one, "\"\\$`");
	}
}

static void put_verbs(struct output *out)
{
	for (const struct command *const *c = commands; *c; c++) {
		output_format(out, "\t\t\t\"%s:", (*c)->name);
		put_text(out, (*c)->summary);
		output_text(out, "\"\n");
	}
	output_text(out, "\t\t)\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n");
	/* _arguments wants the verb to be the first word */
	output_text(out,
		    "\tlocal verb=$words[2]\n\tshift words\n\t((CURRENT--))\n\tcase $verb in\n");
}

/* What _arguments has to do for the word behind an option. */
static void put_action(struct output *out, const struct option *o)
{
	output_format(out, ":%s:", o->argument);
	if (!o->choices) {
		output_text(out,
			    o->kind == OPTION_STRING || o->kind == OPTION_LIST ? "_files" : " ");
		return;
	}
	bool is_list = o->kind == OPTION_LIST;

	output_text(out, is_list ? "_sequence compadd - " : "(");
	completion_choices(out, o->choices);
	output_text(out, is_list ? "" : ")");
}

/* behind: what lets _arguments take a value that stands in the same word, -n5 or --number=5. */
static void put_option(struct output *out, const struct option *o, const char *dashes,
		       const char *name, const char *behind)
{
	output_format(out, " \\\n\t\t\t\"%s%s%s%s[", o->kind == OPTION_LIST ? "*" : "", dashes,
		      name, o->argument ? behind : "");
	put_text(out, o->help);
	output_text(out, "]");
	if (o->argument)
		put_action(out, o);
	output_text(out, "\"");
}

static void put_options(struct output *out, const struct option *o, bool letters)
{
	for (; o && o->name; o++) {
		const char letter[] = {o->letter, '\0'};

		if (o->hidden)
			continue;
		put_option(out, o, "--", o->name, "=");
		if (o->letter && letters)
			put_option(out, o, "-", letter, "+");
	}
}

static void put_command(struct output *out, const struct command *command)
{
	output_format(out, "\t%s)\n\t\t_arguments", command->name);
	put_options(out, command->options, true);
	if (command->takes)
		put_options(out, command->takes->options, false);
	output_text(out, " \\\n\t\t\t\"--help[Print a summary and stop]\" \\\n\t\t\t\"*: :");
	if (command->operands) {
		output_text(out, "(");
		completion_choices(out, command->operands);
		output_text(out, ")\"");
	} else {
		output_text(out, "_files\"");
	}
	output_text(out, "\n\t\t;;\n");
}

void completion_zsh(struct output *out)
{
	output_text(out, head);
	put_verbs(out);
	for (const struct command *const *c = commands; *c; c++)
		put_command(out, *c);
	output_text(out, tail);
}
