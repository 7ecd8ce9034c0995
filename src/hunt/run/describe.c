/* SPDX-License-Identifier: MIT */
#include "hunt/run/describe.h"

#include "replay/planner.h"
#include "trace/symbols.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SOURCE_MOST 60

/* The line of a source file, without blanks around it; "" if it is not there. */
static void read_source(const struct location *l, char *text, size_t room)
{
	char path[4096], line[1000];
	uint32_t number = 0;

	*text = '\0';
	snprintf(path, sizeof(path), "%.*s", (int)l->file_length, l->file);
	FILE *f = l->line ? fopen(path, "r") : NULL;

	while (f && number < l->line && fgets(line, sizeof(line), f))
		number++;
	if (f)
		fclose(f);
	if (!number || number != l->line)
		return;
	char *from = line;

	while (isspace((unsigned char)*from))
		from++;
	size_t length = strlen(from);

	while (length && (isspace((unsigned char)from[length - 1]) || from[length - 1] == '{'))
		length--;
	if (length > SOURCE_MOST)
		snprintf(text, room, "%.*s…", SOURCE_MOST, from);
	else
		snprintf(text, room, "%.*s", (int)length, from);
}

static bool gave_up(const struct event *e)
{
	return e->kind == EV_TRY_FAIL || e->kind == EV_SEM_FAIL ||
	       (e->kind == EV_WOKEN && !(e->more && e->more->by));
}

static void tell(struct choice_told *told, const struct symbols *symbols, const struct event *e,
		 const struct hunt_task *task)
{
	const char *place = e->location ? intern_text(&symbols->locations, e->location) : "";
	const char *thread = symbols_name(symbols, CLASS_THREAD, e->thread);
	struct location l = location_split(place);
	char source[200], where[400];

	told->thread = replay_thread_number(thread);
	told->fails = task->kind == HUNT_TRY && !gave_up(e);
	read_source(&l, source, sizeof(source));
	if (l.line)
		snprintf(where, sizeof(where), "%.*s:%u: ", (int)l.file_length, l.file, l.line);
	else
		snprintf(where, sizeof(where), "%s", "");
	snprintf(told->text, sizeof(told->text), "%s%s%s%sthread %s %s", where, *source ? "`" : "",
		 source, *source ? "`: " : "", thread, hunt_kind_help[task->kind]);
}

int choice_tell(struct choice_told *told, const char *trace, const struct hunt_task *task,
		struct err *err)
{
	struct reader *r = reader_open(trace, NULL, err);
	struct batch batch;
	int got = r ? 0 : err->code;

	*told = (struct choice_told){.thread = PLAN_NONE};
	if (r)
		reader_skip_values(r);
	while (r && (got = reader_next(r, &batch, err)) > 0)
		if (task->event >= batch.first && task->event < batch.first + batch.n) {
			tell(told, reader_symbols(r), &batch.at[task->event - batch.first], task);
			got = 0;
			break;
		}
	if (r)
		reader_close(r);
	return got;
}
