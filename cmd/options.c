/* SPDX-License-Identifier: MIT */
#include "cmd/options.h"

#include "base/near.h"
#include "base/strbuf.h"

#include <stdio.h>
#include <string.h>

static const struct option *find_long(const struct option *table, const char *name, size_t length)
{
	for (; table->name; table++)
		if (!strncmp(table->name, name, length) && !table->name[length])
			return table;
	return NULL;
}

static const struct option *find_short(const struct option *table, const char *arg)
{
	for (; table->name; table++)
		if (table->letter && table->letter == arg[1] && (!arg[2] || table->argument))
			return table;
	return NULL;
}

/* The option of a word that starts with a dash, NULL if there is none; the value that the word
 * itself has, or NULL. */
static const struct option *find_option(const struct option *table, const char *word,
					const char **value)
{
	if (strncmp(word, "--", 2)) {
		*value = word[2] ? word + 2 : NULL;
		return find_short(table, word);
	}
	size_t length = strcspn(word, "=");

	*value = word[length] ? word + length + 1 : NULL;
	return find_long(table, word + 2, length - 2);
}

static int unknown_option(const struct option *table, const char *arg, struct err *err)
{
	char word[64];
	struct near near = {.word = word};
	size_t length = strcspn(arg, "=");

	if (arg[1] == '-' && length - 2 < sizeof(word)) {
		memcpy(word, arg + 2, length - 2);
		word[length - 2] = '\0';
		for (; table->name; table++)
			near_try(&near, table->name);
	}
	if (near.best)
		return err_set(err, ERR_USAGE, "no option %.*s; did you mean --%s?", (int)length,
			       arg, near.best);
	return err_set(err, ERR_USAGE, "no option %.*s", (int)length, arg);
}

static bool times(uint64_t *value, uint64_t factor)
{
	return !__builtin_mul_overflow(*value, factor, value);
}

static bool parse_number(const char *text, uint64_t unit, uint64_t *value)
{
	static const char suffixes[] = "kMG";
	const char *c = text;

	*value = 0;
	for (; *c >= '0' && *c <= '9'; c++)
		if (!times(value, 10) || __builtin_add_overflow(*value, *c - '0', value))
			return false;
	if (c == text)
		return false;
	if (!*c)
		return true;
	const char *suffix = strchr(suffixes, *c == 'K' ? 'k' : *c);

	if (!suffix || c[1])
		return false;
	for (const char *s = suffixes; s <= suffix; s++)
		if (!times(value, unit))
			return false;
	return true;
}

static int set_number(const struct option *o, const char *text, uint64_t *target, struct err *err)
{
	if (!parse_number(text, o->kind == OPTION_SIZE ? 1024 : 1000, target))
		return err_set(err, ERR_USAGE, "--%s: \"%s\" is not a number%s", o->name, text,
			       strlen(text) > 18 ? " in range" : "; try 500, 20k, 4M or 2G");
	if (*target < o->least)
		return err_set(err, ERR_USAGE, "--%s: %s is less than %llu", o->name, text,
			       (unsigned long long)o->least);
	if (o->most && *target > o->most)
		return err_set(err, ERR_USAGE, "--%s: %s is more than %llu", o->name, text,
			       (unsigned long long)o->most);
	return 0;
}

/* Digits and, behind a point, thousandths. */
static bool parse_seconds(const char *text, uint64_t *value)
{
	static const char digits[] = "0123456789";
	const size_t whole = strspn(text, digits);
	const char *point = text + whole;
	const size_t fraction = *point == '.' ? strspn(point + 1, digits) : 0;
	uint64_t unit = 1000;

	*value = 0;
	if (whole > 9 || whole + fraction == 0 || point[fraction ? fraction + 1 : 0])
		return false;
	for (size_t i = 0; i < whole; i++)
		*value = *value * 10 + (uint64_t)(text[i] - '0') * unit;
	for (size_t i = 1; i <= fraction; i++) {
		unit /= 10;
		*value += (uint64_t)(point[i] - '0') * unit;
	}
	return true;
}

static int set_seconds(const struct option *o, const char *text, uint64_t *target, struct err *err)
{
	if (!parse_seconds(text, target))
		return err_set(err, ERR_USAGE,
			       "--%s: \"%s\" is not a time in seconds; try 2 or 0.5", o->name,
			       text);
	if (o->most && *target > o->most)
		return err_set(err, ERR_USAGE, "--%s: %s is more than %llu", o->name, text,
			       (unsigned long long)(o->most / 1000));
	return 0;
}

static int set_choice(const struct option *o, const char *text, int *target, struct err *err)
{
	struct option_choice choice;
	char names[300];
	struct strbuf list = STRBUF(names);

	for (size_t i = 0; o->choices(i, &choice); i++) {
		if (!strcmp(text, choice.name)) {
			*target = (int)i;
			return 0;
		}
		strbuf_add(&list, "%s%s", i ? ", " : "", choice.name);
	}
	return err_set(err, ERR_USAGE, "--%s: \"%s\" is not one of %s", o->name, text, names);
}

static int set_option(const struct option *o, const char *value, void *target, struct err *err)
{
	void *at = (char *)target + o->offset;

	switch (o->kind) {
	case OPTION_FLAG: *(bool *)at = true; return 0;
	case OPTION_STRING: *(const char **)at = value; return 0;
	case OPTION_LIST: vec_push((struct option_list *)at, value); return 0;
	case OPTION_COUNT:
	case OPTION_SIZE: return set_number(o, value, at, err);
	case OPTION_SECONDS: return set_seconds(o, value, at, err);
	case OPTION_CHOICE: return set_choice(o, value, at, err);
	}
	BUG("no such kind of option");
}

int options_parse(const struct option *table, void *target, char **args, struct err *err)
{
	int operands = 0;
	bool ended = false;

	for (char **arg = args; *arg; arg++) {
		const char *value;

		if (ended || **arg != '-' || !(*arg)[1]) {
			args[operands++] = *arg;
			continue;
		}
		if (!strcmp(*arg, "--")) {
			ended = true;
			continue;
		}
		const struct option *o = find_option(table, *arg, &value);

		if (!o)
			return unknown_option(table, *arg, err);
		if (!o->argument && value)
			return err_set(err, ERR_USAGE, "--%s takes no argument", o->name);
		if (o->argument && !value && !(value = *++arg))
			return err_set(err, ERR_USAGE, "--%s needs an argument: %s", o->name,
				       o->argument);
		int code = set_option(o, value, target, err);

		if (code < 0)
			return code;
	}
	args[operands] = NULL;
	return operands;
}

size_t options_count(const struct option *table, char *const *args)
{
	size_t n = 0;

	for (; args[n] && args[n][0] == '-' && args[n][1]; n++) {
		const char *value;

		if (!strcmp(args[n], "--"))
			return n + 1;
		const struct option *o = find_option(table, args[n], &value);

		if (o && o->argument && !value && args[n + 1])
			n++;
	}
	return n;
}

size_t options_words(const struct option *table, char *const *args)
{
	const char *value;
	const struct option *o =
		!strncmp(*args, "--", 2) ? find_option(table, *args, &value) : NULL;

	if (!o)
		return 0;
	return o->argument && !value && args[1] ? 2 : 1;
}

void options_release(const struct option *table, void *target)
{
	for (; table->name; table++)
		if (table->kind == OPTION_LIST)
			vec_release((struct option_list *)((char *)target + table->offset));
}

bool options_want_help(char *const *args)
{
	for (; *args && strcmp(*args, "--"); args++)
		if (!strcmp(*args, "--help") || !strcmp(*args, "-h"))
			return true;
	return false;
}

static void print_row(struct output *out, const char *left, const char *help)
{
	output_format(out, "  %-24s %s\n", left, help);
}

static void print_option(const struct option *o, bool letters, struct output *out)
{
	char left[100], letter[5] = "    ";
	struct option_choice choice;

	if (o->letter && letters)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
		 o->argument ? o->argument : "");
	print_row(out, left, o->help);
	for (size_t i = 0; o->choices && o->choices(i, &choice); i++) {
		snprintf(left, sizeof(left), "      %s", choice.name);
		print_row(out, left, choice.help);
	}
}

void options_print_help(const struct option *table, const struct option *taken, struct output *out)
{
	for (; table->name; table++)
		if (!table->hidden)
			print_option(table, true, out);
	for (; taken && taken->name; taken++)
		if (!taken->hidden)
			print_option(taken, false, out);
	print_row(out, "-h, --help", "print this help and exit");
}
