/* SPDX-License-Identifier: MIT */
/* Reading a file of events, a line at a time. */
#include "events/cursor.h"

#include "base/near.h"
#include "base/strbuf.h"

#include <ctype.h>
#include <errno.h>
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
	return effect != EVENTS_MARK && effects[effect].step;
}

/* One of the table, or a name of the user's own. */
static int read_effect(struct events *events, struct cursor *c, struct events_line *line)
{
	char names[300];
	struct strbuf list = STRBUF(names);

	for (int i = 0; i < EVENTS_EFFECT_COUNT; i++) {
		if (cursor_take(c, effects[i].text)) {
			line->effect = (enum events_effect)i;
			return 0;
		}
		strbuf_add(&list, "%s%s", i ? ", " : "", effects[i].text);
	}
	size_t length = cursor_word(c);

	if (marks_is_name(c->at, length)) {
		line->effect = EVENTS_MARK;
		line->mark = events_keep(events, c->at, length);
		line->mark_column = cursor_column(c, c->at);
		c->at += length;
		cursor_skip_blanks(c);
		return 0;
	}
	char text[400];

	snprintf(text, sizeof(text), "an event: a name of letters, digits and _, or %s", names);
	return cursor_expected(c, text);
}

/* What the line has so far is what that effect has. */
static bool could_be(const struct effect *effect, const struct events_line *line)
{
	return line->fields >= effect->least && line->fields <= effect->most &&
	       effect->places & 1 << line->when && line->what == EVENTS_CALL;
}

/* Abbreviations of a letter or two are names as good as others. */
#define SHORTEST_NEAR 4

const char *events_near_effect(const struct events_line *line)
{
	struct near near = {.word = line->mark};

	if (line->effect != EVENTS_MARK || strlen(line->mark) < SHORTEST_NEAR)
		return NULL;
	for (int i = 0; i < EVENTS_EFFECT_COUNT; i++)
		if (could_be(&effects[i], line))
			near_try(&near, effects[i].text);
	return near.best;
}

/* Behind #: N or return. */
int events_read_argument(struct cursor *c, struct events_field *field)
{
	if (cursor_take(c, "return")) {
		field->argument = EVENTS_RETURN;
		return 0;
	}
	unsigned n = 0;

	if (!isdigit((unsigned char)*c->at))
		return cursor_expected(c, "the number of an argument or \"return\"");
	for (; isdigit((unsigned char)*c->at); c->at++) {
		n = n * 10 + (unsigned)(*c->at - '0');
		if (n > 255)
			return cursor_expected(c, "an argument up to #255");
	}
	field->argument = n;
	return 0;
}

/* #N or #return */
static int read_object(struct cursor *c, struct events_field *field)
{
	field->column = cursor_column(c, c->at);
	if (*c->at == '*' || *c->at == '&')
		return cursor_fail(
			c, c->at,
			"only arguments as they are (#0, #1, …) and #return can be named");
	if (*c->at != '#')
		return cursor_expected(c, "an argument (#0, #1, …) or #return");
	c->at++;
	if (events_read_argument(c, field) < 0)
		return c->err->code;
	if (!strncmp(c->at, "->", 2))
		return cursor_fail(c, c->at,
				   "members of what an argument points to cannot be named");
	cursor_skip_blanks(c);
	return 0;
}

static int read_word(struct events *events, struct cursor *c, const char **word)
{
	size_t n = cursor_word(c);

	if (!n || isdigit((unsigned char)*c->at))
		return cursor_expected(c, "a word");
	*word = events_keep(events, c->at, n);
	c->at += n;
	cursor_skip_blanks(c);
	return 0;
}

static int read_fields(struct events *events, struct cursor *c, struct events_line *line)
{
	const struct effect *effect = &effects[line->effect];
	const char *at = c->at;

	if (effect->most && !cursor_take_char(c, '('))
		return cursor_fail(c, at, "expected \"(\" and what it is about: %s(#0%s)",
				   effect->text, effect->least > 1 ? ", #1" : "");
	if (!effect->most)
		return *c->at == '(' ? cursor_fail(c, at, "%s has no fields", effect->text) : 0;
	unsigned n = 0;

	do {
		if (n == effect->most)
			return cursor_fail(c, c->at, "%s has %u field%s at most", effect->text,
					   effect->most, effect->most == 1 ? "" : "s");
		int code = n < effect->least ? read_object(c, &line->field[n])
					     : read_word(events, c, &line->word[n - effect->least]);

		if (code < 0)
			return code;
	} while (n++, cursor_take_char(c, ','));
	if (n < effect->least)
		return cursor_fail(c, c->at, "%s has %u fields", effect->text, effect->least);
	line->fields = effect->least;
	if (!cursor_take_char(c, ')'))
		return cursor_expected(c, "\",\" or \")\"");
	return 0;
}

static const char *const when_text[] = {"before", "after", "around"};

static int read_when(struct cursor *c, struct events_line *line)
{
	static const struct effect anywhere = {.places = EVENTS_AT(BEFORE) | EVENTS_AT(AFTER) |
							 EVENTS_AT(AROUND)};
	bool mark = line->effect == EVENTS_MARK;
	const struct effect *effect = mark ? &anywhere : &effects[line->effect];
	const char *at = c->at;
	char places[60];
	struct strbuf list = STRBUF(places);

	line->when = EVENTS_NOWHERE;
	if (effect->places == EVENTS_AT(NOWHERE))
		return 0;
	for (int i = 0; i < EVENTS_NOWHERE; i++) {
		if (cursor_take(c, when_text[i]))
			line->when = (enum events_when)i;
		if (effect->places & 1 << i)
			strbuf_add(&list, "%s\"%s\"", list.n ? " or " : "", when_text[i]);
	}
	if (effect->places & 1 << line->when)
		return 0;
	c->at = at;
	const char *meant = mark ? events_near_effect(line) : effect->text;
	char text[120];

	snprintf(text, sizeof(text), meant ? mark ? "%s (or is %s meant?)" : "%s (for %s)" : "%s",
		 places, meant);
	return cursor_expected(c, text);
}

static const char *const what_text[] = {[EVENTS_CALL] = "call",
					[EVENTS_BODY] = "body",
					[EVENTS_READ] = "read-global",
					[EVENTS_WRITE] = "write-global",
					[EVENTS_LINE] = "line"};

static int read_what(struct cursor *c, struct events_line *line)
{
	bool happens =
		line->effect == EVENTS_HAPPENS_BEFORE || line->effect == EVENTS_HAPPENS_AFTER;
	bool mark = line->effect == EVENTS_MARK;
	const char *at = c->at;
	int what = 0;

	while (what <= EVENTS_LINE && !cursor_take(c, what_text[what]))
		what++;
	if (what > EVENTS_LINE)
		return cursor_expected(c, mark ? "call, body, read-global, write-global or line"
					  : happens ? "\"call\" or \"body\""
						    : "\"call\"");
	line->what = (enum events_what)what;
	if (mark || what == EVENTS_CALL || (happens && what == EVENTS_BODY))
		return 0;
	return cursor_fail(c, at, "%s is for calls only, not for \"%s\"",
			   effects[line->effect].text, what_text[what]);
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

static const char *target_text(const struct events_line *line)
{
	return line->what == EVENTS_LINE   ? "FILE:NUMBER"
	       : line->what >= EVENTS_READ ? "the name of a global variable"
					   : "the name of a function";
}

/* FILE:NUMBER */
static int split_line(struct cursor *c, struct events_line *line, char *target)
{
	char *colon = strrchr(target, ':'), *end = NULL;
	bool number = colon && isdigit((unsigned char)colon[1]);

	line->source_line = number ? strtoull(colon + 1, &end, 10) : 0;
	if (!number || colon == target || *end || !line->source_line ||
	    line->source_line > UINT32_MAX)
		return cursor_expected(c, "FILE:NUMBER");
	*colon = '\0';
	return 0;
}

/* x.member; a C++ name has no dot */
static int split_member(struct cursor *c, struct events_line *line, char *target)
{
	char *dot = strchr(target, '.');

	if (!dot)
		return 0;
	if (dot == target || !marks_is_name(dot + 1, strlen(dot + 1)))
		return cursor_expected(c, "a variable, or VARIABLE.MEMBER");
	*dot = '\0';
	line->member = dot + 1;
	return 0;
}

static int read_target(struct events *events, struct cursor *c, struct events_line *line)
{
	const char *condition = condition_in(c->at), *at = c->at;
	const char *end = condition ? condition : c->at + strlen(c->at);

	line->column = cursor_column(c, c->at);
	if (cursor_take(c, "if"))
		return cursor_fail(c, at, "expected %s", target_text(line));
	while (end > c->at && isblank((unsigned char)end[-1]))
		end--;
	if (end == c->at)
		return cursor_expected(c, target_text(line));
	char *target = events_keep(events, c->at, (size_t)(end - c->at));
	int code = line->what == EVENTS_LINE   ? split_line(c, line, target)
		   : line->what >= EVENTS_READ ? split_member(c, line, target)
					       : 0;

	if (code)
		return code;
	line->target = target;
	line->fuzzy = strchr(line->target, '*') != NULL;
	if (line->target[strspn(line->target, "*")] == '\0')
		return cursor_fail(c, c->at, "this matches every %s",
				   line->what == EVENTS_LINE   ? "file"
				   : line->what >= EVENTS_READ ? "variable"
							       : "function");
	c->at = end;
	cursor_skip_blanks(c);
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
		cursor_skip_blanks(c);
		char *end;
		condition->compare = all[i].compare;
		errno = 0;
		condition->value = strtoll(c->at, &end, 0);
		if (end == c->at || errno)
			return cursor_expected(c, errno ? "a number of 64 bits" : "a number");
		c->at = end;
		cursor_skip_blanks(c);
		return 0;
	}
	return cursor_expected(c, "==, !=, <, <=, > or >=, or the end of the line");
}

static int read_condition(struct events *events, struct cursor *c, struct events_line *line)
{
	struct events_condition *condition = &line->condition;
	const char *at = c->at;
	bool mark = line->effect == EVENTS_MARK;

	if (!cursor_take(c, "if"))
		return 0;
	if (line->when == EVENTS_NOWHERE || (line->what == EVENTS_BODY && !mark))
		return cursor_fail(c, at, "this line cannot have a condition");
	bool negated = cursor_take_char(c, '!');

	if (mark ? marks_read_field(events, c, &condition->field) < 0
		 : read_object(c, &condition->field) < 0)
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
	bool body = line->what == EVENTS_BODY;
	bool early = line->when != EVENTS_AFTER || effects[line->effect].step || body;
	const char *why = body ? "the body of a function has no #return"
			       : "#return is not known before the call";

	for (unsigned i = 0; i < line->fields; i++)
		if (early && is_return(&line->field[i]))
			return cursor_fail(c, c->start + line->field[i].column - 1, "%s", why);
	if (line->condition.compare && line->when == EVENTS_BEFORE &&
	    is_return(&line->condition.field))
		return cursor_fail(c, c->start + line->condition.field.column - 1, "%s", why);
	return 0;
}

static int parse(struct events *events, struct cursor *c, struct events_line *line)
{
	bool mark;

	if (read_effect(events, c, line) < 0)
		return c->err->code;
	mark = line->effect == EVENTS_MARK;
	if ((mark ? marks_read_fields(events, c, line) : read_fields(events, c, line)) < 0 ||
	    read_when(c, line) < 0 || read_what(c, line) < 0 || read_target(events, c, line) < 0 ||
	    read_condition(events, c, line) < 0)
		return c->err->code;
	if (*c->at)
		return cursor_expected(c, "the end of the line");
	return mark ? marks_check(events, c, line) : check_return(c, line);
}

static int read_line(struct events *events, const struct input *in, char *text, size_t length,
		     struct events_line *line, struct err *err)
{
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	const char *copy = events_keep(events, text, length);
	struct cursor c = {in, copy, copy, err};

	if (strlen(copy) != length)
		return cursor_fail(&c, copy + strlen(copy), "a byte 0: this is not a text file");
	cursor_skip_blanks(&c);
	if (!*c.at || *c.at == '#')
		return 0;
	if (parse(events, &c, line) < 0)
		return err->code;
	vec_push(&events->lines, *line);
	return 0;
}

int events_read(struct events *events, struct input *in, bool ours, struct err *err)
{
	const char *file = events_keep(events, input_name(in), strlen(input_name(in)));
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

int events_add_atomic(struct events *events, const char *function, struct err *err)
{
	static const char start[] = "atomic around body ";
	size_t length = strlen(function);
	char *line = mem_alloc(sizeof(start) + length);

	memcpy(line, start, sizeof(start));
	memcpy(line + sizeof(start) - 1, function, length + 1);
	struct input *in = input_open_memory(line, sizeof(start) - 1 + length, "--atomic");
	int code = events_read(events, in, false, err);

	input_close(in);
	mem_free(line);
	return code;
}

void events_release(struct events *events)
{
	vec_release(&events->lines);
	arena_release(&events->text);
}
