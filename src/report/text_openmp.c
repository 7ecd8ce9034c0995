/* SPDX-License-Identifier: MIT */
/*
 * A race between threads of an OpenMP region for which one clause is plainly missing: the source
 * says that each thread adds to the variable, or that it sets a variable of its own.
 */
#include "report/text.h"
#include "trace/source.h"

#include <ctype.h>
#include <string.h>

/* As norn cc calls the body of a region, or else clang. */
static bool is_in_region(const struct location *l)
{
	return l->function &&
	       (strstr(l->function, "_at_line_") || !strncmp(l->function, ".omp_outlined", 13));
}

static struct location location_of(const struct text *t, uint32_t event)
{
	const struct index *index = t->story.index;
	uint32_t location = index->events[event].location;

	return location_split(location ? intern_text(&index->symbols->locations, location) : "");
}

/* `stack:main:sum~1` is sum to who wrote it; of parts (a[3], p+4, p->x) there is no clause. */
static bool plain_name(const char *name, char *plain, size_t room)
{
	const char *colon = strrchr(name, ':');
	size_t n;

	name = colon ? colon + 1 : name;
	n = strcspn(name, "~");
	if (!n || n >= room || isdigit((unsigned char)*name))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	memcpy(plain, name, n);
	plain[n] = '\0';
	return true;
}

static const char *behind_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

static bool ends_word(char c)
{
	return !isalnum((unsigned char)c) && c != '_';
}

/* Is the word there? Then what stands behind it. */
static const char *behind_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(text, word, n) && ends_word(text[n]) ? behind_blanks(text + n) : NULL;
}

/* The operator of `x op= …`, `x++`, `++x`, `x = x op …` at the start of a statement there; '=' of
 * `x = …`; 0: something else. */
static char operator_at(const char *text, const char *name)
{
	const char *rest = behind_word(text, name), *again;

	if ((!strncmp(text, "++", 2) || !strncmp(text, "--", 2)) &&
	    behind_word(behind_blanks(text + 2), name))
		return *text;
	if (!rest)
		return 0;
	if (!strncmp(rest, "++", 2) || !strncmp(rest, "--", 2))
		return *rest;
	if (*rest && strchr("+-*&|^", *rest) && rest[1] == '=')
		return *rest;
	if (*rest != '=' || rest[1] == '=')
		return 0;
	again = behind_word(behind_blanks(rest + 1), name);
	return !again || !*again || !strchr("+-*&|^", *again) ? '=' : *again;
}

static char operator_in(const char *line, const char *name)
{
	for (const char *at = line; *at; at++) {
		bool starts = at == line || strchr(";{}) \t", at[-1]);
		char found = starts ? operator_at(at, name) : 0;

		if (found)
			return found;
	}
	return 0;
}

void text_clause(struct text *t, uint32_t first, uint32_t second, const char *variable)
{
	struct location a = location_of(t, first), b = location_of(t, second);
	char name[100], one[400], other[400];

	if (!is_in_region(&a) || !is_in_region(&b) || !plain_name(variable, name, sizeof(name)))
		return;
	source_line(&a, one, sizeof(one));
	source_line(&b, other, sizeof(other));
	char op = operator_in(one, name), op_other = operator_in(other, name);

	if (op && op != '=' && op == op_other)
		output_format(t->out,
			      "\n  Note: %s is shared by the threads of the OpenMP region; "
			      "reduction(%c:%s) gives each one its own, and combines them.\n",
			      name, op, name);
	else if (op == '=' || op_other == '=')
		output_format(t->out,
			      "\n  Note: %s is shared by the threads of the OpenMP region; if each "
			      "one needs its own, private(%s) or a declaration inside the region "
			      "says so.\n",
			      name, name);
}
