/* SPDX-License-Identifier: MIT */
/* Which functions a target names. */
#include "events/events.h"

#include <string.h>

/* `*` is any text. What comes before the last one fits as early as it can. */
static bool fits(const char *pattern, const char *name, size_t length)
{
	const char *end = name + length, *star = NULL, *retry = NULL;

	while (name < end || *pattern) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = name;
		} else if (name < end && *pattern == *name) {
			pattern++, name++;
		} else if (star && retry < end) {
			pattern = star;
			name = ++retry;
		} else {
			return false;
		}
	}
	return true;
}

size_t events_bare_length(const char *readable)
{
	const char *close = strrchr(readable, ')');
	int depth = 0;

	for (const char *c = close; c && c >= readable; c--) {
		depth += *c == ')' ? 1 : *c == '(' ? -1 : 0;
		if (!depth)
			return (size_t)(c - readable);
	}
	return strlen(readable);
}

/* Of a template the readable name starts with what it returns: from there on, or NULL. */
static const char *without_result(const char *readable, size_t length)
{
	int depth = 0;

	for (size_t i = 0; i < length; i++) {
		depth += readable[i] == '<' || readable[i] == '(';
		depth -= readable[i] == '>' || readable[i] == ')';
		if (!depth && readable[i] == ' ')
			return readable + i + 1;
	}
	return NULL;
}

static bool fits_readable(const char *target, const char *readable)
{
	return fits(target, readable, strlen(readable)) ||
	       fits(target, readable, events_bare_length(readable));
}

bool events_names(const char *target, const char *symbol, const char *readable)
{
	if (fits(target, symbol, strlen(symbol)))
		return true;
	for (const char *name = readable; name;
	     name = without_result(name, events_bare_length(name)))
		if (fits_readable(target, name))
			return true;
	return false;
}

bool events_names_file(const char *target, const char *path)
{
	for (; path; path = strchr(path, '/') ? strchr(path, '/') + 1 : NULL)
		if (fits(target, path, strlen(path)))
			return true;
	return false;
}
