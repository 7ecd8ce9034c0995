/* SPDX-License-Identifier: MIT */
#include "cmd/variable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool separates(char c)
{
	return c == ':' || c == ' ' || c == '\t' || c == '\n';
}

/* One word as an option, without its quotes; NULL: a quote is missing. */
static char *take_word(struct from_variable *v, const char **text)
{
	char *word = arena_alloc(&v->text, strlen(*text) + 3), *to = word, quote = '\0';

	*to++ = '-';
	*to++ = '-';
	for (; **text && (quote || !separates(**text)); ++*text) {
		if (quote ? **text == quote : **text == '\'' || **text == '"')
			quote = quote ? '\0' : **text;
		else
			*to++ = **text;
	}
	*to = '\0';
	return quote ? NULL : word;
}

static int parse_words(struct from_variable *v, const char *text, const struct option *table,
		       void *target, struct err *err)
{
	for (;;) {
		while (separates(*text))
			text++;
		if (!*text)
			return 0;
		char *words[] = {take_word(v, &text), NULL};

		if (!words[0])
			return err_set(err, ERR_USAGE, "a quote is missing");
		if (!words[0][2])
			return err_set(err, ERR_USAGE, "an option without a name");
		if (options_parse(table, target, words, err) < 0)
			return err->code;
	}
}

int variable_parse(struct from_variable *v, const char *name, const struct option *table,
		   void *target, struct err *err)
{
	const char *text = getenv(name);
	struct err inner = {0};

	if (!text || !parse_words(v, text, table, target, &inner))
		return 0;
	return err_set(err, ERR_USAGE, "%s: %s", name, inner.message);
}

void variable_release(struct from_variable *v)
{
	arena_release(&v->text);
}
