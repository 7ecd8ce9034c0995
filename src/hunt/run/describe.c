/* SPDX-License-Identifier: MIT */
#include "hunt/run/describe.h"

#include "replay/planner.h"
#include "trace/source.h"

#include <stdio.h>
#include <string.h>

#define SOURCE_MOST 60

/* As it stands there, not too long. */
static void quote_source(const struct location *l, char *text, size_t room)
{
	char line[1000];

	source_line(l, line, sizeof(line));
	size_t length = strlen(line);

	while (length && (line[length - 1] == '{' || line[length - 1] == ' '))
		length--;
	snprintf(text, room, "%.*s%s", (int)(length > SOURCE_MOST ? SOURCE_MOST : length), line,
		 length > SOURCE_MOST ? "…" : "");
}

static bool gave_up(const struct event *e)
{
	return e->kind == EV_TRY_FAIL || e->kind == EV_SEM_FAIL ||
	       (e->kind == EV_WOKEN && !(e->more && e->more->by));
}

/* `last`: where the thread was before, which will do for what it does within a call. */
static void tell(struct choice_told *told, const struct symbols *symbols, const struct event *e,
		 uint32_t last, const struct hunt_task *task)
{
	uint32_t at = e->location ? e->location : last;
	const char *place = at ? intern_text(&symbols->locations, at) : "";
	const char *thread = symbols_name(symbols, CLASS_THREAD, e->thread);
	struct location l = location_split(place);
	char source[200], where[400];

	told->first = (struct attempt_first){.thread = replay_thread_number(thread),
					     .fails = task->kind == HUNT_TRY && !gave_up(e),
					     .wakes = task->kind == HUNT_WAKES};
	quote_source(&l, source, sizeof(source));
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
	uint32_t last = 0;

	*told = (struct choice_told){.first.thread = PLAN_NONE};
	if (r)
		reader_skip_values(r);
	while (r && (got = reader_next(r, &batch, err)) > 0) {
		for (size_t i = 0; i < batch.n && batch.first + i < task->event; i++)
			if (batch.at[i].thread == task->thread && batch.at[i].location)
				last = batch.at[i].location;
		if (task->event >= batch.first && task->event < batch.first + batch.n) {
			tell(told, reader_symbols(r), &batch.at[task->event - batch.first], last,
			     task);
			got = 0;
			break;
		}
	}
	if (r)
		reader_close(r);
	return got;
}
