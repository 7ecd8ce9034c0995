/* SPDX-License-Identifier: MIT */
/* The end of a witness, event by event, for those who show it step by step. */
#include "report/json.h"

#define LAST_MOST 60

/* The value that a read returned or a write wrote, as recorded. */
static void put_value(struct json *json, const struct event *e)
{
	struct part part = event_part(e, 0);

	if (event_is(e, EV_VALUE))
		json_i64(json, "value", part.value);
	if (e->kind == EV_RMW)
		json_i64(json, "written", part.written);
}

static void put_holds(struct story *s, struct json *json, uint32_t event)
{
	story_locks held = {0};

	story_held(s, event, &held);
	if (held.n) {
		json_open(json, "holds", '[');
		for (size_t i = 0; i < held.n; i++)
			json_string(json, NULL,
				    symbols_name(s->symbols, CLASS_LOCK, held.at[i].lock));
		json_close(json, ']');
	}
	vec_release(&held);
}

static void put_change(struct json *json, const struct steps *steps, size_t at)
{
	for (size_t i = 0; i < steps->changed.n; i++) {
		if (steps->changed.at[i].at != at)
			continue;
		json_u64(json, "from", steps->changed.at[i].writer);
		json_u64(json, "recorded", steps->changed.at[i].recorded);
		return;
	}
}

static void put_event(struct story *s, struct json *json, const struct steps *steps, size_t at,
		      uint32_t event)
{
	const struct event *e = &s->index->events[event];
	struct place place = story_place(s, event);

	json_open(json, NULL, '{');
	json_u64(json, "event", event);
	story_put_thread(s, json, "thread", e->thread);
	json_string(json, "op", event_kind_text[e->kind]);
	json_string(json, "does", story_verb(e));
	if (*story_object(s, e))
		json_string(json, "object", story_object(s, e));
	if (event_is(e, EV_ACCESS))
		put_value(json, e);
	put_change(json, steps, at);
	put_holds(s, json, event);
	if (place.file) {
		json_string(json, "file", place.file);
		json_u64(json, "line", place.line);
	}
	json_close(json, '}');
}

void story_put_last(struct story *s, struct json *json, const struct witness *w,
		    const struct steps *steps)
{
	size_t first = witness_length(w), count = 0;
	bool page = json->page;

	while (first && count < LAST_MOST)
		count += s->index->events[witness_event(w, --first)].kind != EV_BRANCH;
	json_open(json, "last", '[');
	json->page = true; /* a line each would be long */
	for (size_t i = first; i < witness_length(w); i++) {
		uint32_t event = (uint32_t)witness_event(w, i);

		if (s->index->events[event].kind != EV_BRANCH)
			put_event(s, json, steps, i, event);
	}
	json->page = page;
	json_close(json, ']');
}
