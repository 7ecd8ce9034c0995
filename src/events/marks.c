/* SPDX-License-Identifier: MIT */
/* Lines that name events of the user's own. */
#include "events/cursor.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* As a name of a specification is: no `-`. */
bool marks_is_name(const char *text, size_t length)
{
	if (!length || isdigit((unsigned char)*text))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}

static int read_word(struct events *events, struct cursor *c, const char **word, const char *what)
{
	size_t length = cursor_word(c);

	if (!marks_is_name(c->at, length))
		return cursor_expected(c, what);
	*word = events_keep(events, c->at, length);
	c->at += length;
	cursor_skip_blanks(c);
	return 0;
}

/* Behind `#`. */
static int read_value(struct cursor *c, struct events_field *field)
{
	static const struct {
		const char *text;
		uint32_t value;
	} all[] = {{"return", EVENTS_RETURN},
		   {"address", EVENTS_ADDRESS},
		   {"size", EVENTS_SIZE},
		   {"value", EVENTS_VALUE}};
	size_t length = strcspn(c->at, "-"); /* of what may be followed by -> */

	if (length > cursor_word(c))
		length = cursor_word(c);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (length == strlen(all[i].text) && !memcmp(c->at, all[i].text, length)) {
			field->argument = all[i].value;
			c->at += length;
			return 0;
		}
	if (isdigit((unsigned char)*c->at))
		return events_read_argument(c, field);
	return cursor_expected(
		c, "the number of an argument, \"return\", \"address\", \"size\" or \"value\"");
}

static int read_member(struct events *events, struct cursor *c, struct events_field *field)
{
	const char *at = c->at;

	if (strncmp(at, "->", 2) != 0) {
		cursor_skip_blanks(c);
		return 0;
	}
	if (field->stars)
		return cursor_fail(c, at, "a field has either \"*\" or \"->\"");
	c->at += 2;
	return read_word(events, c, &field->member, "the name of a member");
}

/* #N, #return, *#0, #0->member, #address, #size, #value */
int marks_read_field(struct events *events, struct cursor *c, struct events_field *field)
{
	const char *at = c->at;

	field->column = cursor_column(c, c->at);
	while (cursor_take_char(c, '*'))
		if (++field->stars > EVENTS_STARS)
			return cursor_fail(c, at, "at most %u \"*\" can stand before a field",
					   EVENTS_STARS);
	if (*c->at != '#')
		return cursor_expected(c, "a value (#0, #1, …, #return, #address, #size, #value)");
	c->at++;
	return read_value(c, field) < 0 ? c->err->code : read_member(events, c, field);
}

static int read_field(struct events *events, struct cursor *c, struct events_field *field)
{
	if (*c->at == '#' || *c->at == '*')
		return marks_read_field(events, c, field);
	field->column = cursor_column(c, c->at);
	field->argument = EVENTS_WORD;
	return read_word(events, c, &field->word,
			 "a field: a value (#0, *#0, #return, …) or a word");
}

int marks_read_fields(struct events *events, struct cursor *c, struct events_line *line)
{
	if (!cursor_take_char(c, '(') || cursor_take_char(c, ')'))
		return 0;
	do {
		if (line->fields == EVENTS_FIELDS)
			return cursor_fail(c, c->at, "an event has %u fields at most",
					   EVENTS_FIELDS);
		if (read_field(events, c, &line->field[line->fields++]) < 0)
			return c->err->code;
	} while (cursor_take_char(c, ','));
	return cursor_take_char(c, ')') ? 0 : cursor_expected(c, "\",\" or \")\"");
}

static const char *shown(const struct events_field *field)
{
	return field->argument == EVENTS_RETURN	   ? "#return"
	       : field->argument == EVENTS_ADDRESS ? "#address"
	       : field->argument == EVENTS_SIZE	   ? "#size"
	       : field->argument == EVENTS_VALUE   ? "#value"
						   : "an argument";
}

/* Why this value cannot stand in this line; NULL: it can. */
static const char *misfit(const struct events_line *line, const struct events_field *field)
{
	bool function = line->what <= EVENTS_BODY;
	bool argument = field->argument < EVENTS_WORD || field->argument == EVENTS_RETURN;

	if (field->argument == EVENTS_WORD)
		return NULL;
	if (line->what == EVENTS_LINE)
		return "a line has no values, only words";
	if (function && !argument)
		return "is for read-global and write-global";
	if (!function && argument)
		return "is for call and body";
	if (!function && (field->stars || field->member))
		return "cannot be dereferenced";
	if (field->argument == EVENTS_RETURN && line->when != EVENTS_AFTER)
		return line->what == EVENTS_CALL ? "is not known before the call"
						 : "is not known before the function returns";
	if (field->argument == EVENTS_VALUE && line->what == EVENTS_READ &&
	    line->when != EVENTS_AFTER)
		return "is not known before the read";
	return NULL;
}

static int check_field(struct cursor *c, const struct events_line *line,
		       const struct events_field *field)
{
	const char *why = misfit(line, field), *at = c->start + field->column - 1;

	if (!why)
		return 0;
	return line->what == EVENTS_LINE ? cursor_fail(c, at, "%s", why)
					 : cursor_fail(c, at, "%s %s", shown(field), why);
}

unsigned events_mark_fields(const struct events_line *line)
{
	return line->fields + (line->when == EVENTS_AROUND);
}

static bool is_word(const struct events_line *line, unsigned field)
{
	return field >= line->fields || line->field[field].argument == EVENTS_WORD;
}

/* In a specification it is one channel, and each of its fields has one type. */
static int check_alike(struct cursor *c, const struct events_line *line,
		       const struct events_line *before)
{
	unsigned n = events_mark_fields(line), old = events_mark_fields(before);
	const char *at = c->start + strspn(c->start, " \t");
	unsigned long long number = before->line;

	if (n != old)
		return cursor_fail(c, at, "%s has %u fields here, but %u at %s:%llu", line->mark, n,
				   old, before->file, number);
	for (unsigned i = 0; i < n; i++)
		if (is_word(line, i) != is_word(before, i))
			return cursor_fail(
				c, at, "field %u of %s is a %s here, but a %s at %s:%llu", i + 1,
				line->mark, is_word(line, i) ? "word" : "number",
				is_word(line, i) ? "number" : "word", before->file, number);
	return 0;
}

int marks_check(const struct events *events, struct cursor *c, const struct events_line *line)
{
	for (unsigned i = 0; i < line->fields; i++)
		if (check_field(c, line, &line->field[i]) < 0)
			return c->err->code;
	if (line->condition.compare && check_field(c, line, &line->condition.field) < 0)
		return c->err->code;
	for (size_t i = 0; i < events->lines.n; i++) {
		const struct events_line *before = &events->lines.at[i];

		if (before->effect == EVENTS_MARK && !strcmp(before->mark, line->mark))
			return check_alike(c, line, before);
	}
	return 0;
}

/* FNV-1a */
static void mix(uint64_t *key, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*key = (*key ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
}

static void mix_text(uint64_t *key, const char *text)
{
	mix(key, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void mix_number(uint64_t *key, uint64_t number)
{
	mix(key, &number, sizeof(number));
}

static void mix_field(uint64_t *key, const struct events_field *field)
{
	mix_number(key, field->argument);
	mix_number(key, field->stars);
	mix_text(key, field->member);
	mix_text(key, field->word);
}

uint64_t events_mark_key(const struct events_line *line)
{
	uint64_t key = UINT64_C(14695981039346656037);

	mix_text(&key, line->mark);
	for (unsigned i = 0; i < line->fields; i++)
		mix_field(&key, &line->field[i]);
	mix_number(&key, line->when);
	mix_number(&key, line->what);
	mix_text(&key, line->target);
	mix_text(&key, line->member);
	mix_number(&key, line->source_line);
	mix_number(&key, line->condition.compare);
	mix_field(&key, &line->condition.field);
	mix_number(&key, (uint64_t)line->condition.value);
	return key;
}
