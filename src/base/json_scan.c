/* SPDX-License-Identifier: MIT */
#include "base/json_scan.h"

#include <ctype.h>
#include <string.h>

#define TEXT_MAX 4096
#define DEPTH_MAX 100

struct scan {
	FILE *in;
	json_visit *visit;
	void *context;
	unsigned depth;
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

static void put(struct scan *s, size_t *n, int c)
{
	if (*n + 1 < TEXT_MAX)
		s->text[(*n)++] = (char)c;
}

/* \uXXXX, behind the u, as UTF-8. Pairs of surrogates become two characters that stand for "none".
 */
static bool put_unicode(struct scan *s, size_t *n)
{
	char digits[5] = "";
	unsigned code;

	for (int i = 0; i < 4; i++) {
		int c = getc_unlocked(s->in);

		if (c == EOF || !isxdigit(c))
			return false;
		digits[i] = (char)c;
	}
	sscanf(digits, "%x", &code);
	if (code >= 0xd800 && code < 0xe000)
		code = 0xfffd;
	if (code >= 0x800)
		put(s, n, (int)(0xe0 | code >> 12));
	if (code >= 0x80)
		put(s, n, (int)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6));
	put(s, n, (int)(code >= 0x80 ? 0x80 | (code & 0x3f) : code));
	return true;
}

static bool put_escape(struct scan *s, size_t *n)
{
	static const char letters[] = "bfnrt\"\\/", stand_for[] = "\b\f\n\r\t\"\\/";
	int c = getc_unlocked(s->in);
	const char *letter = c > 0 ? strchr(letters, c) : NULL;

	if (c == 'u')
		return put_unicode(s, n);
	if (letter)
		put(s, n, stand_for[letter - letters]);
	return letter;
}

/* After the opening quote. */
static bool get_string(struct scan *s)
{
	size_t n = 0;

	for (int c = getc_unlocked(s->in); c != '"'; c = getc_unlocked(s->in)) {
		if (c == EOF || (c == '\\' && !put_escape(s, &n)))
			return false;
		if (c != '\\')
			put(s, &n, c);
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
	if (c == '{' || c == '[') {
		bool good = ++s->depth < DEPTH_MAX && get_members(s, c == '{' ? '}' : ']');

		s->depth--;
		return good;
	}
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
