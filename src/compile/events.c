/* SPDX-License-Identifier: MIT */
/* Files of events: where they are, whether they can be read, and whether they name anything. */
#include "compile/driver.h"
#include "compile/linked.h"

#include <dirent.h>
#include <errno.h>
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

/* NORN_EVENTS=FILE:FILE… */
static void find_named(struct driver *d)
{
	const char *from = getenv("NORN_EVENTS");

	while (from && *from) {
		size_t length = strcspn(from, ":");

		if (length)
			words_add(&d->files, words_format(&d->arena, "%.*s", (int)length, from));
		from += length + (from[length] == ':');
	}
	for (size_t i = 0; i < d->line.events.n; i++)
		words_add(&d->files, d->line.events.at[i]);
}

int driver_find_events(struct driver *d, struct err *err)
{
	if (find_ours(d, err) < 0)
		return err->code;
	find_named(d);
	for (size_t i = 0; i < d->files.n; i++)
		if (events_load(&d->events, d->files.at[i], false, err) < 0)
			return err->code;
	return 0;
}

static bool was_told(const struct events *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(events->lines.at[i].target, events->lines.at[n].target))
			return true;
	return false;
}

static void tell(struct driver *d, const struct events_line *line, const struct linked *linked)
{
	const char *near = linked_nearest(linked, line->target);

	d->request->note("warning: %s:%llu:%u: the program has no function %s%s%s%s", line->file,
			 (unsigned long long)line->line, line->column, line->target,
			 near ? "; is it " : "", near ? near : "", near ? "?" : "");
}

void driver_check_events(struct driver *d)
{
	struct linked linked = {0};
	const char *path = d->line.output ? d->line.output : "a.out";

	/* of a program that is stripped nobody knows what it has */
	if (!d->events.lines.n || !linked_load(&linked, path)) {
		linked_release(&linked);
		return;
	}
	for (size_t i = 0; i < d->events.lines.n; i++)
		if (!was_told(&d->events, i) && !linked_have(&linked, d->events.lines.at[i].target))
			tell(d, &d->events.lines.at[i], &linked);
	linked_release(&linked);
}
