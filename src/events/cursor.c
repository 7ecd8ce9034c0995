/* SPDX-License-Identifier: MIT */
/* Places in a line, and what is said of what stands there. */
#include "events/cursor.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

unsigned cursor_column(const struct cursor *c, const char *at)
{
	return (unsigned)(at - c->start) + 1;
}

void cursor_skip_blanks(struct cursor *c)
{
	while (*c->at == ' ' || *c->at == '\t')
		c->at++;
}

int cursor_fail(const struct cursor *c, const char *at, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return err_set(c->err, ERR_INPUT, "%s:%llu:%u: %s", input_name(c->in),
		       (unsigned long long)input_line_number(c->in), cursor_column(c, at), text);
}

/* Names have `-`, targets and numbers are read by others. */
size_t cursor_word(const struct cursor *c)
{
	const char *at = c->at;
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '-')
		n++;
	return n;
}

/* What stands there, for messages. */
static const char *shown(const struct cursor *c, char *to, size_t size)
{
	size_t n = strcspn(c->at, " \t");

	if (!*c->at)
		return "the end of the line";
	snprintf(to, size, "\"%.*s\"", (int)(n < 40 ? n : 40), c->at);
	return to;
}

int cursor_expected(const struct cursor *c, const char *what)
{
	char text[60];

	return cursor_fail(c, c->at, "expected %s, not %s", what, shown(c, text, sizeof(text)));
}

bool cursor_take(struct cursor *c, const char *word)
{
	size_t n = cursor_word(c);

	if (n != strlen(word) || memcmp(c->at, word, n) != 0)
		return false;
	c->at += n;
	cursor_skip_blanks(c);
	return true;
}

bool cursor_take_char(struct cursor *c, char wanted)
{
	if (*c->at != wanted)
		return false;
	c->at++;
	cursor_skip_blanks(c);
	return true;
}

char *events_keep(struct events *events, const char *text, size_t length)
{
	char *copy = arena_alloc(&events->text, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}
