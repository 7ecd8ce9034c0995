/* SPDX-License-Identifier: MIT */
/* norn completion SHELL: a completion script, made from the tables of the verbs. */
#include "cmd/completion.h"
#include "cmd/verbs.h"
#include <string.h>

static const struct shell {
	const char *name, *help;
	void (*put)(struct output *out);
} shells[] = {
	{"bash", "the Bourne-Again shell", completion_bash},
	{"fish", "the friendly interactive shell", completion_fish},
	{"zsh", "the Z shell", completion_zsh},
};

#define SHELL_COUNT (sizeof(shells) / sizeof(shells[0]))

void completion_choices(struct output *out, option_choices *choices)
{
	struct option_choice choice;

	for (size_t i = 0; choices && choices(i, &choice); i++)
		output_format(out, "%s%s", i ? " " : "", choice.name);
}

void completion_quote(struct output *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			output_text(out, "\\");
		output_format(out, "%c", *text);
	}
}

static bool choose_shell(size_t i, struct option_choice *choice)
{
	if (i >= SHELL_COUNT)
		return false;
	*choice = (struct option_choice){shells[i].name, shells[i].help};
	return true;
}

static int run_completion(const void *options, char **operands)
{
	(void)options;
	struct output *out = cmd_open_output();

	for (size_t i = 0; i < SHELL_COUNT; i++)
		if (!strcmp(shells[i].name, operands[0])) /* main has seen that there is one */
			shells[i].put(out);
	return cmd_close_output(out, 0);
}

const struct command completion_command = {
	.name = "completion",
	.summary = "Print a completion script for a shell.",
	.usage = "SHELL",
	.details = "Try it in bash: eval \"$(norn completion bash)\"\n"
		   "in zsh: eval \"$(norn completion zsh)\"\n"
		   "in fish: norn completion fish | source\n",
	.operands_least = 1,
	.operands_most = 1,
	.operands = choose_shell,
	.run = run_completion,
};
