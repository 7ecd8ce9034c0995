/* SPDX-License-Identifier: MIT */
#include "events/ignore.h"

#include "events/events.h"

#include <ctype.h>
#include <string.h>

#define SANITIZERS "thread", "norn"

static int refuse(const struct input *in, unsigned column, const char *expected, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s:%llu:%u: expected %s", input_name(in),
		       (unsigned long long)input_line_number(in), column, expected);
}

/* Is one of the names between '|' ours, or may it be? */
static bool section_is_ours(const char *names)
{
	static const char *const ours[] = {SANITIZERS};

	for (const char *name = names; *name; name += *name == '|') {
		size_t length = strcspn(name, "|");
		char one[64];

		memcpy(one, name, length < sizeof(one) ? length : sizeof(one) - 1);
		one[length < sizeof(one) ? length : sizeof(one) - 1] = '\0';
		for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
			if (events_names(one, ours[i], NULL))
				return true;
		name += length;
	}
	return false;
}

static int read_section(const struct input *in, char *line, bool *ours, struct err *err)
{
	size_t length = strlen(line);

	if (line[length - 1] != ']' || length < 3)
		return refuse(in, (unsigned)length, "[NAME], a section of sanitizers", err);
	line[length - 1] = '\0';
	*ours = section_is_ours(line + 1);
	return 0;
}

/* A category, as in =init, is of other sanitizers. */
static int read_entry(struct ignore *ignore, const struct input *in, const char *line, bool ours,
		      struct err *err)
{
	static const char *const others[] = {"global", "type", "enum", "vtable", "mainfile"};
	size_t length = strcspn(line, ":");
	bool file = length == 3 && !strncmp(line, "src", length);
	bool known = file || (length == 3 && !strncmp(line, "fun", length));

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		known |= !strncmp(line, others[i], length) && !others[i][length];
	if (line[length] != ':' || !known)
		return refuse(in, 1, "fun:PATTERN, src:PATTERN, [SECTION] or a comment", err);
	if (!line[length + 1])
		return refuse(in, (unsigned)length + 2, "a pattern", err);
	if (!ours || length != 3 || strchr(line, '='))
		return 0;
	vec_push(&ignore->lines, ((struct ignore_line){file, line + length + 1}));
	return 0;
}

/* Without the blanks around it. */
static char *text_of(struct ignore *ignore, const char *line, size_t length)
{
	while (length && isspace((unsigned char)line[length - 1]))
		length--;
	while (length && isspace((unsigned char)*line))
		line++, length--;
	char *text = arena_alloc(&ignore->text, length + 1);

	memcpy(text, line, length);
	text[length] = '\0';
	return text;
}

int ignore_read(struct ignore *ignore, struct input *in, struct err *err)
{
	bool ours = true;
	size_t length;
	char *line;
	int more;

	while ((more = input_line(in, &line, &length, err)) > 0) {
		const char *nul = memchr(line, '\0', length);

		if (nul)
			return refuse(in, (unsigned)(nul - line) + 1, "text", err);
		char *text = text_of(ignore, line, length);
		int code = 0;

		if (*text == '[')
			code = read_section(in, text, &ours, err);
		else if (*text && *text != '#')
			code = read_entry(ignore, in, text, ours, err);
		if (code < 0)
			return code;
	}
	return more;
}

int ignore_load(struct ignore *ignore, const char *path, struct err *err)
{
	struct input *in = input_open(path, err);

	if (!in)
		return err->code;
	int code = ignore_read(ignore, in, err);

	input_close(in);
	return code;
}

void ignore_release(struct ignore *ignore)
{
	vec_release(&ignore->lines);
	arena_release(&ignore->text);
}

bool ignore_has(const struct ignore *ignore, const char *symbol, const char *readable,
		const char *path)
{
	for (size_t i = 0; i < ignore->lines.n; i++) {
		const struct ignore_line *line = &ignore->lines.at[i];

		if (line->file ? path && events_names_file(line->pattern, path)
			       : events_names(line->pattern, symbol, readable))
			return true;
	}
	return false;
}
