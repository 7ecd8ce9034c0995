#include "tests/support/json_scan.h"

#include <ctype.h>
#include <string.h>

#define TEXT_MAX 4096

struct scan {
	FILE *in;
	json_visit *visit;
	void *context;
	char path[TEXT_MAX], text[TEXT_MAX];
};

static int next_char(struct scan *s)
{
	int c;

	do
		c = getc_unlocked(s->in);
	while (c != EOF && isspace(c));
	return c;
}

/* After the opening quote. */
static bool get_string(struct scan *s)
{
	size_t n = 0;

	for (int c = getc_unlocked(s->in); c != '"'; c = getc_unlocked(s->in)) {
		if (c == '\\') {
			c = getc_unlocked(s->in);
			if (c == 'u' && n + 2 < TEXT_MAX)
				s->text[n++] = '\\';
		}
		if (c == EOF)
			return false;
		if (n + 1 < TEXT_MAX)
			s->text[n++] = (char)c;
	}
	s->text[n] = '\0';
	return true;
}

/* A number, true, false or null; c is its first character. */
static bool get_word(struct scan *s, int c)
{
	size_t n = 0;

	for (; isalnum(c) || (c && strchr("+-.", c)); c = getc_unlocked(s->in))
		if (n + 1 < TEXT_MAX)
			s->text[n++] = (char)c;
	ungetc(c, s->in);
	s->text[n] = '\0';
	return n > 0;
}

static bool extend(struct scan *s, size_t length, const char *dot, const char *more)
{
	int n = snprintf(s->path + length, TEXT_MAX - length, "%s%s", dot, more);

	return n >= 0 && (size_t)n < TEXT_MAX - length;
}

static bool get_value(struct scan *s, int c);

static bool get_members(struct scan *s, char close)
{
	size_t length = strlen(s->path);
	bool good = true;
	int c = next_char(s);

	while (good && c != close) {
		if (close == ']')
			good = extend(s, length, "", "[]");
		else
			good = c == '"' && get_string(s) && next_char(s) == ':' &&
			       extend(s, length, length ? "." : "", s->text);
		good = good && get_value(s, close == ']' ? c : next_char(s));
		s->path[length] = '\0';
		c = next_char(s);
		if (c == ',')
			c = next_char(s);
		else
			good = good && c == close;
	}
	return good;
}

static bool get_value(struct scan *s, int c)
{
	if (c == '{')
		return get_members(s, '}');
	if (c == '[')
		return get_members(s, ']');
	if (!(c == '"' ? get_string(s) : get_word(s, c)))
		return false;
	s->visit(s->context, s->path, s->text);
	return true;
}

bool json_scan(FILE *in, json_visit *visit, void *context)
{
	static struct scan s;

	s = (struct scan){.in = in, .visit = visit, .context = context};
	return get_value(&s, next_char(&s));
}
