/* SPDX-License-Identifier: MIT */
/* Reading a file of events, a line at a time. */
#include "events/events.h"

#include "base/strbuf.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct effect {
	const char *text;
	unsigned least, most;
	int places;
	bool step;
} effects[EVENTS_EFFECT_COUNT] = {
#define EVENTS_ROW(name, text, least, most, places, step) \
	[name] = {text, least, most, places, step},
	EVENTS_EFFECTS(EVENTS_ROW)
#undef EVENTS_ROW
};

const char *const events_effect_text[EVENTS_EFFECT_COUNT] = {
#define EVENTS_ROW(name, text, least, most, places, step) [name] = text,
	EVENTS_EFFECTS(EVENTS_ROW)
#undef EVENTS_ROW
};

bool events_is_step(enum events_effect effect)
{
	return effects[effect].step;
}

/* A line under work. */
struct cursor {
	const struct input *in;
	const char *start, *at; /* a NUL ends it */
	struct err *err;
};

static unsigned column_of(const struct cursor *c, const char *at)
{
	return (unsigned)(at - c->start) + 1;
}

static void skip_blanks(struct cursor *c)
{
	while (*c->at == ' ' || *c->at == '\t')
		c->at++;
}

__attribute__((format(printf, 3, 4))) static int fail_at(const struct cursor *c, const char *at,
							 const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return err_set(c->err, ERR_INPUT, "%s:%llu:%u: %s", input_name(c->in),
		       (unsigned long long)input_line_number(c->in), column_of(c, at), text);
}

/* Names have `-`, targets and numbers are read by others. */
static size_t word_length(const char *at)
{
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

static int expected(const struct cursor *c, const char *what)
{
	char text[60];

	return fail_at(c, c->at, "expected %s, not %s", what, shown(c, text, sizeof(text)));
}

static bool take_word(struct cursor *c, const char *word)
{
	size_t n = word_length(c->at);

	if (n != strlen(word) || memcmp(c->at, word, n) != 0)
		return false;
	c->at += n;
	skip_blanks(c);
	return true;
}

static bool take_char(struct cursor *c, char wanted)
{
	if (*c->at != wanted)
		return false;
	c->at++;
	skip_blanks(c);
	return true;
}

static const char *keep(struct events *events, const char *text, size_t length)
{
	char *copy = arena_alloc(&events->text, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

static int read_effect(struct cursor *c, struct events_line *line)
{
	char names[300];
	struct strbuf list = STRBUF(names);

	for (int i = 0; i < EVENTS_EFFECT_COUNT; i++) {
		if (take_word(c, effects[i].text)) {
			line->effect = (enum events_effect)i;
			return 0;
		}
		strbuf_add(&list, "%s%s", i ? ", " : "", effects[i].text);
	}
	char text[400];

	snprintf(text, sizeof(text), "an event (%s)", names);
	return expected(c, text);
}

/* #N or #return */
static int read_object(struct cursor *c, struct events_field *field)
{
	field->column = column_of(c, c->at);
	if (*c->at == '*' || *c->at == '&')
		return fail_at(c, c->at,
			       "only arguments as they are (#0, #1, …) and #return can be named");
	if (*c->at != '#')
		return expected(c, "an argument (#0, #1, …) or #return");
	c->at++;
	if (take_word(c, "return")) {
		field->argument = EVENTS_RETURN;
		return 0;
	}
	unsigned n = 0;

	if (!isdigit((unsigned char)*c->at))
		return expected(c, "the number of an argument or \"return\"");
	for (; isdigit((unsigned char)*c->at); c->at++) {
		n = n * 10 + (unsigned)(*c->at - '0');
		if (n > 255)
			return expected(c, "an argument up to #255");
	}
	if (!strncmp(c->at, "->", 2))
		return fail_at(c, c->at, "members of what an argument points to cannot be named");
	skip_blanks(c);
	field->argument = n;
	return 0;
}

static int read_word(struct events *events, struct cursor *c, const char **word)
{
	size_t n = word_length(c->at);

	if (!n || isdigit((unsigned char)*c->at))
		return expected(c, "a word");
	*word = keep(events, c->at, n);
	c->at += n;
	skip_blanks(c);
	return 0;
}

static int read_fields(struct events *events, struct cursor *c, struct events_line *line)
{
	const struct effect *effect = &effects[line->effect];
	const char *at = c->at;

	if (effect->most && !take_char(c, '('))
		return fail_at(c, at, "expected \"(\" and what it is about: %s(#0%s)", effect->text,
			       effect->least > 1 ? ", #1" : "");
	if (!effect->most)
		return *c->at == '(' ? fail_at(c, at, "%s has no fields", effect->text) : 0;
	unsigned n = 0;

	do {
		if (n == effect->most)
			return fail_at(c, c->at, "%s has %u field%s at most", effect->text,
				       effect->most, effect->most == 1 ? "" : "s");
		int code = n < effect->least ? read_object(c, &line->field[n])
					     : read_word(events, c, &line->word[n - effect->least]);

		if (code < 0)
			return code;
	} while (n++, take_char(c, ','));
	if (n < effect->least)
		return fail_at(c, c->at, "%s has %u fields", effect->text, effect->least);
	line->fields = effect->least;
	if (!take_char(c, ')'))
		return expected(c, "\",\" or \")\"");
	return 0;
}

static const char *const when_text[] = {"before", "after", "around"};

static int read_when(struct cursor *c, struct events_line *line)
{
	const struct effect *effect = &effects[line->effect];
	const char *at = c->at;
	char places[60];
	struct strbuf list = STRBUF(places);

	line->when = EVENTS_NOWHERE;
	if (effect->places == EVENTS_AT(NOWHERE))
		return 0;
	for (int i = 0; i < EVENTS_NOWHERE; i++) {
		if (take_word(c, when_text[i]))
			line->when = (enum events_when)i;
		if (effect->places & 1 << i)
			strbuf_add(&list, "%s\"%s\"", list.n ? " or " : "", when_text[i]);
	}
	if (effect->places & 1 << line->when)
		return 0;
	c->at = at;
	char text[120];

	snprintf(text, sizeof(text), "%s (for %s)", places, effect->text);
	return expected(c, text);
}

static int read_what(struct cursor *c, struct events_line *line)
{
	static const char *const later[] = {"read-global", "write-global", "line"};
	bool happens =
		line->effect == EVENTS_HAPPENS_BEFORE || line->effect == EVENTS_HAPPENS_AFTER;
	const char *at = c->at;

	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++)
		if (take_word(c, later[i]))
			return fail_at(c, at, "%s is for calls only, not for \"%s\"",
				       effects[line->effect].text, later[i]);
	if (take_word(c, "call"))
		return 0;
	if (!take_word(c, "body"))
		return expected(c, happens ? "\"call\" or \"body\"" : "\"call\"");
	line->body = true;
	if (!happens)
		return fail_at(c, at, "%s is for calls only, not for \"body\"",
			       effects[line->effect].text);
	return 0;
}

/* Where the target ends: before the last " if ", or with the line. */
static const char *condition_in(const char *text)
{
	const char *found = NULL;

	for (const char *at = text; (at = strstr(at, "if")); at += 2)
		if (at > text && isblank((unsigned char)at[-1]) &&
		    (isblank((unsigned char)at[2]) || !at[2]))
			found = at;
	return found;
}

static int read_target(struct events *events, struct cursor *c, struct events_line *line)
{
	const char *condition = condition_in(c->at);
	const char *end = condition ? condition : c->at + strlen(c->at);

	line->column = column_of(c, c->at);
	if (take_word(c, "if"))
		return fail_at(c, c->start + line->column - 1, "expected the name of a function");
	while (end > c->at && isblank((unsigned char)end[-1]))
		end--;
	if (end == c->at)
		return expected(c, "the name of a function");
	line->target = keep(events, c->at, (size_t)(end - c->at));
	line->fuzzy = strchr(line->target, '*') != NULL;
	if (line->target[strspn(line->target, "*")] == '\0')
		return fail_at(c, c->at, "this matches every function");
	c->at = end;
	skip_blanks(c);
	return 0;
}

static int read_compare(struct cursor *c, struct events_condition *condition)
{
	static const struct {
		const char *text;
		enum events_compare compare;
	} all[] = {{"==", EVENTS_EQ}, {"!=", EVENTS_NE}, {"<=", EVENTS_LE},
		   {">=", EVENTS_GE}, {"<", EVENTS_LT},	 {">", EVENTS_GT}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		size_t n = strlen(all[i].text);

		if (strncmp(c->at, all[i].text, n) != 0)
			continue;
		c->at += n;
		skip_blanks(c);
		char *end;
		condition->compare = all[i].compare;
		condition->value = strtoll(c->at, &end, 0);
		if (end == c->at)
			return expected(c, "a number");
		c->at = end;
		skip_blanks(c);
		return 0;
	}
	return expected(c, "==, !=, <, <=, > or >=, or the end of the line");
}

static int read_condition(struct cursor *c, struct events_line *line)
{
	struct events_condition *condition = &line->condition;
	const char *at = c->at;

	if (!take_word(c, "if"))
		return 0;
	if (line->when == EVENTS_NOWHERE || line->body)
		return fail_at(c, at, "this line cannot have a condition");
	bool negated = take_char(c, '!');

	if (read_object(c, &condition->field) < 0)
		return c->err->code;
	condition->compare = negated ? EVENTS_EQ : EVENTS_NE;
	if (*c->at && !negated)
		return read_compare(c, condition);
	return 0;
}

static bool is_return(const struct events_field *field)
{
	return field->argument == EVENTS_RETURN;
}

/* What is only known when the call has returned. */
static int check_return(struct cursor *c, const struct events_line *line)
{
	/* The lock of a wait, and what is taken, have to be known before the call as well. */
	bool early = line->when != EVENTS_AFTER || effects[line->effect].step || line->body;
	const char *why = line->body ? "the body of a function has no #return"
				     : "#return is not known before the call";

	for (unsigned i = 0; i < line->fields; i++)
		if (early && is_return(&line->field[i]))
			return fail_at(c, c->start + line->field[i].column - 1, "%s", why);
	if (line->condition.compare && line->when == EVENTS_BEFORE &&
	    is_return(&line->condition.field))
		return fail_at(c, c->start + line->condition.field.column - 1, "%s", why);
	return 0;
}

static int parse(struct events *events, struct cursor *c, struct events_line *line)
{
	if (read_effect(c, line) < 0 || read_fields(events, c, line) < 0 ||
	    read_when(c, line) < 0 || read_what(c, line) < 0 || read_target(events, c, line) < 0 ||
	    read_condition(c, line) < 0)
		return c->err->code;
	if (*c->at)
		return expected(c, "the end of the line");
	return check_return(c, line);
}

static int read_line(struct events *events, const struct input *in, char *text, size_t length,
		     struct events_line *line, struct err *err)
{
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	const char *copy = keep(events, text, length);
	struct cursor c = {in, copy, copy, err};

	if (strlen(copy) != length)
		return fail_at(&c, copy + strlen(copy), "a byte 0: this is not a text file");
	skip_blanks(&c);
	if (!*c.at || *c.at == '#')
		return 0;
	if (parse(events, &c, line) < 0)
		return err->code;
	vec_push(&events->lines, *line);
	return 0;
}

int events_read(struct events *events, struct input *in, bool ours, struct err *err)
{
	const char *file = keep(events, input_name(in), strlen(input_name(in)));
	char *text;
	size_t length;
	int got;

	while ((got = input_line(in, &text, &length, err)) > 0) {
		struct events_line line = {
			.file = file, .line = input_line_number(in), .ours = ours};

		if (read_line(events, in, text, length, &line, err) < 0)
			return err->code;
	}
	return got;
}

int events_load(struct events *events, const char *path, bool ours, struct err *err)
{
	struct input *in = input_open(path, err);
	int code = in ? events_read(events, in, ours, err) : err->code;

	input_close(in);
	return code;
}

void events_release(struct events *events)
{
	vec_release(&events->lines);
	arena_release(&events->text);
}
