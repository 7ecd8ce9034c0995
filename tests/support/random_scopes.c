/* SPDX-License-Identifier: MIT */
/*
 * Scopes for the branches of a random trace, put into its finished text. Most of these get a guard
 * that fails if one read changes: others hardly ever do.
 */
#include "tests/support/random_trace_parts.h"

#include <stdlib.h>
#include <string.h>

#define HOLDS_MAX 64

struct line {
	char *text; /* without its end */
	char thread[32], op[32], object[32], value[32];
	bool event;
	bool names_value; /* a read of one variable */
	size_t number;	  /* of the event */
	size_t read;	  /* of a branch that gets a guard: which line's read it asks */
	int scope;
};

struct lines {
	struct line *at;
	size_t n;
};

static bool is_declaration(const char *word)
{
	static const char *const words[] = {"init",    "volatile", "memory", "sem",
					    "barrier", "constant", "meta"};

	for (int i = 0; i < 7; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static bool is_read_of_one(const struct line *line, int words, const char *fifth)
{
	if (!strcmp(line->op, "rmw"))
		return words == 5;
	return !strcmp(line->op, "read") && words >= 4 &&
	       (words == 4 || !strncmp(fifth, "order=", 6) || !strncmp(fifth, "at=", 3));
}

static struct lines split(char *text)
{
	struct lines lines = {0};
	char *rest = text, *one, fifth[32], sixth[32];
	size_t events = 0;

	while ((one = strsep(&rest, "\n")) && rest) {
		struct line line = {.text = one};
		int words = sscanf(one, " %31s %31s %31s %31s %31s %31s", line.thread, line.op,
				   line.object, line.value, fifth, sixth);

		line.event = words > 1 && line.thread[0] != '#' && !is_declaration(line.thread);
		line.names_value = line.event && is_read_of_one(&line, words, fifth);
		line.number = line.event ? ++events : 0;
		lines.at = realloc(lines.at, (lines.n + 1) * sizeof(line));
		lines.at[lines.n++] = line;
	}
	return lines;
}

static bool may_be_skipped(const char *op)
{
	static const char *const ops[] = {"read",	    "write",   "rmw",	 "acquire",
					  "acquire-shared", "release", "branch", "release-shared",
					  "try-fail",	    "mark"};

	for (int i = 0; i < 10; i++)
		if (!strcmp(op, ops[i]))
			return true;
	return false;
}

/* Takes or leaves a lock; false: it leaves one that was taken before. */
static bool follow_lock(const struct line *line, const char **holds, int *count)
{
	if (!strncmp(line->op, "acquire", 7) && *count < HOLDS_MAX)
		holds[(*count)++] = line->object;
	if (strncmp(line->op, "release", 7))
		return true;
	for (int i = *count; i-- > 0;)
		if (!strcmp(holds[i], line->object)) {
			holds[i] = holds[--*count];
			return true;
		}
	return false;
}

/* How long a scope may be, of all that are possible up to `most` events; 0: none is. */
static int pick_scope(struct random *r, const struct lines *lines, size_t branch, int most)
{
	const char *holds[HOLDS_MAX];
	int count = 0, length = 0, possible = 0, pick = 0;

	for (size_t i = branch + 1; i < lines->n && length < most; i++) {
		const struct line *line = &lines->at[i];

		if (!line->event || strcmp(line->thread, lines->at[branch].thread) != 0)
			continue;
		if (!may_be_skipped(line->op) || !follow_lock(line, holds, &count))
			break;
		length++;
		if (!count && !random_below(r, (uint32_t)++possible))
			pick = length;
	}
	return pick;
}

/* What is left of the scope around the line, of those before it. */
static int left_around(const struct lines *lines, size_t n)
{
	int passed = 0, left = INT16_MAX;

	for (size_t i = n; i-- > 0;) {
		const struct line *line = &lines->at[i];

		if (!line->event || strcmp(line->thread, lines->at[n].thread) != 0)
			continue;
		if (line->scope > passed && line->scope - passed - 1 < left)
			left = line->scope - passed - 1;
		passed++;
	}
	return left;
}

/* One of the last reads of the thread, or 0. */
static size_t pick_read(struct random *r, const struct lines *lines, size_t branch)
{
	size_t pick = 0;

	for (size_t i = branch; i-- > 0;) {
		if (!lines->at[i].names_value ||
		    strcmp(lines->at[i].thread, lines->at[branch].thread) != 0)
			continue;
		pick = i;
		if (random_percent(r, 60))
			break;
	}
	return pick;
}

static void print(const struct lines *lines, FILE *out)
{
	for (size_t i = 0; i < lines->n; i++) {
		const struct line *line = &lines->at[i];
		const char *word = line->scope ? strstr(line->text, "branch") : NULL;

		if (line->read)
			fprintf(out, "%s branch if (= %%%zu %s) scope=%d\n", line->thread,
				lines->at[line->read].number, lines->at[line->read].value,
				line->scope);
		else if (word)
			fprintf(out, "%.*s scope=%d%s\n", (int)(word + 6 - line->text), line->text,
				line->scope, word + 6);
		else
			fprintf(out, "%s\n", line->text);
	}
}

char *random_add_scopes(char *text, uint64_t seed)
{
	struct random r = random_seeded(seed ^ 0x73636f7065);
	struct lines lines = split(text);
	char *with = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&with, &size);

	for (size_t i = 0; i < lines.n; i++) {
		struct line *line = &lines.at[i];

		if (!line->event || strcmp(line->op, "branch") != 0 || random_percent(&r, 20))
			continue;
		if (random_percent(&r, 75))
			line->read = pick_read(&r, &lines, i);
		if (line->read || (!strcmp(line->object, "if") && !strstr(line->text, " opaque")))
			line->scope = pick_scope(&r, &lines, i, left_around(&lines, i));
		if (!line->scope)
			line->read = 0;
	}
	print(&lines, out);
	fclose(out);
	free(lines.at);
	free(text);
	return with;
}
