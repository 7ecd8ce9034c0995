/* SPDX-License-Identifier: MIT */
/* The stacks of a result in the SARIF report: of its events, and of what is told beside them. */
#include "report/sarif.h"

#define STACKS_MOST 100

static void put_frame(struct sarif *s, const struct place *place)
{
	json_open(&s->json, NULL, '{');
	json_open(&s->json, "location", '{');
	sarif_place(s, place, NULL);
	json_close(&s->json, '}');
	json_close(&s->json, '}');
}

/* Those whose calls are not known have no stack: a location is told elsewhere. */
static void put_stack(struct sarif *s, uint32_t event, uint64_t *room)
{
	const struct callers *callers = &s->story.callers;
	const struct caller *c = callers_of(callers, event);
	struct place place = story_place(&s->story, event);

	if (!c || !*room)
		return;
	--*room;
	json_open(&s->json, NULL, '{');
	sarif_text(&s->json, "message", sarif_describe(&s->story, event));
	json_open(&s->json, "frames", '[');
	put_frame(s, &place);
	for (unsigned i = 0; c && i < CALLERS_MOST; c = callers_next(callers, c), i++) {
		place = story_place_of(&s->story, c->text);
		put_frame(s, &place);
	}
	json_close(&s->json, ']');
	json_close(&s->json, '}');
}

static void put_held(struct sarif *s, uint32_t event, uint64_t *room)
{
	story_locks held = {0};

	story_held(&s->story, event, &held);
	for (size_t i = 0; i < held.n; i++)
		put_stack(s, held.at[i].acquire, room);
	vec_release(&held);
}

void sarif_stacks(struct sarif *s, const event_numbers *events)
{
	const struct index *index = s->story.index;
	uint64_t room = STACKS_MOST;

	if (!s->story.callers.threads)
		return;
	json_open(&s->json, "stacks", '[');
	for (size_t i = 0; i < events->n; i++)
		put_stack(s, events->at[i], &room);
	for (size_t i = 0; i < events->n; i++)
		put_held(s, events->at[i], &room);
	for (size_t i = 0; i < events->n; i++) {
		uint32_t fork = index->threads[index->events[events->at[i]].thread].fork;

		if (fork)
			put_stack(s, fork, &room);
	}
	json_close(&s->json, ']');
}
