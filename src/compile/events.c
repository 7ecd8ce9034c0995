/* SPDX-License-Identifier: MIT */
/* Files of events: where they are, whether they can be read, and whether they name anything. */
#include "compile/driver.h"
#include "compile/linked.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_events_file(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".events");
}

static int find_ours(struct driver *d, struct err *err)
{
	struct dirent **entries;
	int n = scandir(d->parts.events, &entries, is_events_file, alphasort);

	if (n < 0)
		return err_set(err, ERR_SYSTEM, "%s: %s", d->parts.events, strerror(errno));
	for (int i = 0; i < n; i++) {
		words_add(&d->models,
			  words_format(&d->arena, "%s/%s", d->parts.events, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	return 0;
}

static void find_in(struct driver *d, const char *variable, const char *between, const char *option)
{
	const char *from = getenv(variable);

	while (from && *from) {
		size_t length = strcspn(from, between);

		if (length)
			words_add_all(&d->said, option,
				      words_format(&d->arena, "%.*s", (int)length, from));
		from += length + (from[length] != '\0');
	}
}

/* NORN_EVENTS=FILE:FILE…, NORN_ATOMIC='FUNCTION FUNCTION…', NORN_IGNORE=FILE:FILE…, and the
 * options. */
static void find_said(struct driver *d)
{
	find_in(d, "NORN_EVENTS", ":", "--events");
	find_in(d, "NORN_ATOMIC", " ", "--atomic");
	find_in(d, "NORN_IGNORE", ":", "--ignore");
	for (size_t i = 0; i < d->line.events.n; i++)
		words_add(&d->said, d->line.events.at[i]);
}

static int load(struct driver *d, const char *option, const char *value, struct err *err)
{
	if (!strcmp(option, "--ignore"))
		return ignore_load(&d->ignore, value, err);
	return !strcmp(option, "--events") ? events_load(&d->events, value, false, err)
					   : events_add_atomic(&d->events, value, err);
}

int driver_find_events(struct driver *d, struct err *err)
{
	if (find_ours(d, err) < 0)
		return err->code;
	find_said(d);
	for (size_t i = 0; i < d->said.n; i += 2)
		if (load(d, d->said.at[i], d->said.at[i + 1], err) < 0)
			return err->code;
	return 0;
}

/* What it is that the program has none of. */
static const char *shown(const struct events_line *line)
{
	static const char *const marks[] = {[EVENTS_CALL] = "call of",
					    [EVENTS_BODY] = "function with hooks",
					    [EVENTS_READ] = "direct read of variable",
					    [EVENTS_WRITE] = "direct write of variable",
					    [EVENTS_LINE] = "code of line"};

	return line->effect == EVENTS_MARK ? marks[line->what] : "function";
}

static bool is_same(const struct events_line *a, const struct events_line *b)
{
	return shown(a) == shown(b) && !strcmp(a->target, b->target) &&
	       a->source_line == b->source_line && !a->member == !b->member &&
	       (!a->member || !strcmp(a->member, b->member));
}

static bool was_told(const struct events *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_same(&events->lines.at[i], &events->lines.at[n]))
			return true;
	return false;
}

static void tell(struct driver *d, const struct events_line *line, const struct linked *linked)
{
	bool variable = line->what == EVENTS_READ || line->what == EVENTS_WRITE;
	const char *near = line->what == EVENTS_LINE
				   ? NULL
				   : linked_nearest(linked, line->target,
						    variable ? LINKED_VARIABLE : LINKED_FUNCTION);
	char more[40] = "";

	if (line->what == EVENTS_LINE)
		snprintf(more, sizeof(more), ":%llu", (unsigned long long)line->source_line);
	d->request->note("warning: %s:%llu:%u: the program has no %s %s%s%s%s%s%s%s", line->file,
			 (unsigned long long)line->line, line->column, shown(line), line->target,
			 more, line->member ? "." : "", line->member ? line->member : "",
			 near ? "; is it " : "", near ? near : "", near ? "?" : "");
}

static bool has_place(const struct linked *linked, const struct events_line *line)
{
	return line->effect == EVENTS_MARK ? linked_mark(linked, line)
					   : linked_have(linked, line->target);
}

/* A mark changes nothing, where an effect would. */
static void tell_misspelt(struct driver *d)
{
	for (size_t i = 0; i < d->events.lines.n; i++) {
		const struct events_line *line = &d->events.lines.at[i];
		const char *meant = line->ours ? NULL : events_near_effect(line);

		if (meant)
			d->request->note("warning: %s:%llu:%u: %s is taken for a mark of your own; "
					 "is %s meant?",
					 line->file, (unsigned long long)line->line,
					 line->mark_column, line->mark, meant);
	}
}

void driver_check_events(struct driver *d)
{
	struct linked linked = {0};
	const char *path = d->line.output ? d->line.output : "a.out";

	tell_misspelt(d);
	/* of a program that is stripped nobody knows what it has */
	if (!d->events.lines.n || !linked_load(&linked, path)) {
		linked_release(&linked);
		return;
	}
	for (size_t i = 0; i < d->events.lines.n; i++)
		if (!was_told(&d->events, i) && !has_place(&linked, &d->events.lines.at[i]))
			tell(d, &d->events.lines.at[i], &linked);
	linked_release(&linked);
}
